package rdmatest

import (
	"context"
	"io"
	"net"

	"github.com/godapl/godapl/internal/hca/soft/errno"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
)

// worldWire is a stream as a connection uses it, without goroutines of its own: the steps of the world wake the
// connection. Its buffers are the ways, so a full one refuses bytes at once.
type worldWire struct {
	e    *end
	full bool // a write found no room; guarded by w.mu
}

// NewWire implements wire.Maker.
func (e *end) NewWire(wake func()) wire.Wire {
	x := &worldWire{e: e}
	w := e.s.w
	w.mu.Lock()
	defer w.mu.Unlock()
	e.in.readable = wake
	e.out.writable = func() {
		if x.full && (e.out.room() > 0 || e.s.lost) {
			x.full = false
			wake()
		}
	}
	return x
}

// Read implements wire.Wire.
func (x *worldWire) Read(p []byte) (int, error) {
	e := x.e
	e.s.w.mu.Lock()
	defer e.s.w.mu.Unlock()
	e.s.w.uses()
	switch {
	case e.s.lost:
		return 0, e.fail("read", errno.Reset)
	case len(e.in.arrived) > 0:
		return e.take(p), nil
	case e.in.fin == finArrived:
		return 0, io.EOF
	}
	return 0, wire.ErrAgain
}

// Write implements wire.Wire.
func (x *worldWire) Write(list [][]byte) (n int, err error) {
	e := x.e
	e.s.w.mu.Lock()
	defer e.s.w.mu.Unlock()
	e.s.w.uses()
	if e.out.ended {
		e.s.reset()
	}
	if e.s.lost {
		return 0, e.fail("write", errno.Reset)
	}
	for _, b := range list {
		k := min(e.out.room(), len(b))
		if k > 0 {
			e.out.accept(b[:k])
			n += k
		}
		if k < len(b) {
			break
		}
	}
	if n == 0 {
		x.full = true
		return 0, wire.ErrAgain
	}
	e.s.w.wakeScheduler()
	return n, nil
}

// Arm implements wire.Wire.
func (x *worldWire) Arm(rx, tx bool) {
	e := x.e
	w := e.s.w
	w.mu.Lock()
	defer w.mu.Unlock()
	w.uses()
	if wake := e.in.readable; wake != nil && (rx && (len(e.in.arrived) > 0 || e.in.fin == finArrived) || tx && e.out.room() > 0 || e.s.lost) {
		wake()
	}
}

// Armed, ArmEnd and Leave have nothing to do: every change wakes the connection.
func (x *worldWire) Armed() bool { return false }
func (x *worldWire) ArmEnd(bool) {}
func (x *worldWire) Leave()      {}

// Ended implements wire.Wire.
func (x *worldWire) Ended() (told bool, err error) {
	e := x.e
	e.s.w.mu.Lock()
	defer e.s.w.mu.Unlock()
	if e.s.lost {
		return true, e.fail("read", errno.Reset)
	}
	return e.in.fin == finArrived, nil
}

// Release implements wire.Wire.
func (x *worldWire) Release(context.Context) (net.Conn, error) {
	e := x.e
	e.s.w.mu.Lock()
	defer e.s.w.mu.Unlock()
	e.in.readable, e.out.writable = nil, nil
	return e, nil
}
