package stream

import (
	"net"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
)

// newWire takes TCP and Unix sockets out of Go's poller: a socket that a consumer polls must wake nobody else.
// Other streams get goroutines.
func (c *Conn) newWire(conn net.Conn) (wire.Wire, error) {
	var raw syscall.RawConn
	var err error
	switch s := conn.(type) { // exactly these types: a wrapper needs its methods called
	case *net.TCPConn:
		wire.Uncongested(s)
		raw, err = s.SyscallConn()
	case *net.UnixConn:
		raw, err = s.SyscallConn()
	default:
		return wire.NewPump(conn, c.Schedule), nil
	}
	if err != nil {
		return nil, err
	}
	fd, err := wire.DupSocket(raw)
	if err != nil {
		return nil, err
	}
	_ = conn.Close() // the duplicate keeps the connection
	w := &socketWire{fd: fd, p: &c.a.Background.Poller, c: c}
	if err := w.p.Add(fd, w, &w.number); err != nil {
		wire.CloseSocket(fd)
		return nil, err
	}
	return w, nil
}

// socketWire is a non-blocking socket. It stays armed as long as nobody polls it, which saves a system call for
// each message that a consumer sleeps for. The first event during active polling disarms it. If the polling
// lasts, the socket leaves the poller, because the kernel looks up the receiver of an event for each segment
// even if nothing is armed.
type socketWire struct {
	fd     int
	p      *progress.Poller
	number int32 // in p
	c      *Conn

	armed atomic.Uint32 // what is armed now; written under mu
	end   atomic.Bool   // the poller has reported an end, and nobody has checked it
	hot   atomic.Bool   // the poller will run it again, after the others

	mu   sync.Mutex // excludes leave and release while arming
	gone bool
	left bool // the socket is out of the kernel's queue, but not out of the poller

	vec wire.Vector // for write
}

func (w *socketWire) Read(p []byte) (int, error) { return wire.RecvSocket(w.fd, p) }

func (w *socketWire) Write(list [][]byte) (int, error) {
	return wire.SendSocket(w.fd, list, &w.vec, w.c.aligned.Load())
}

// Event handles an event of the adapter's poller.
func (w *socketWire) Event(events uint32) (again bool) {
	c := w.c
	if events&progress.AnyEnd != 0 {
		w.end.Store(true)
	}
	switch {
	case c.Polled.Load(), c.stalled.Load(), !c.started.Load():
		w.disarm()
		// A goroutine that wanted events meanwhile found the socket armed.
		if c.started.Load() && !c.Polled.Load() {
			c.Arm()
		}
	case events&progress.AnyEnd != 0:
		// The socket's state will not change any more, so nothing would report an end that follows unread
		// bytes; arming again does.
		w.spent(^uint32(0))
	case events&unix.EPOLLOUT != 0:
		w.spent(progress.ArmWrite) // once is enough
	}
	if w.hot.Load() {
		return false // a run is pending
	}
	return c.event(true)
}

// Turn continues what Event has begun.
func (w *socketWire) Turn() (again bool) { return w.c.event(false) }

// Waits notes whether a run is pending in the poller's list.
func (w *socketWire) Waits(yes bool) { w.hot.Store(yes) }

// GoOn leaves the rest to the engine.
func (w *socketWire) GoOn() { w.c.Schedule() }

// spent notes events that must be armed again.
func (w *socketWire) spent(events uint32) {
	w.mu.Lock()
	w.armed.Store(w.armed.Load() &^ events)
	w.mu.Unlock()
}

func (w *socketWire) disarm() {
	w.mu.Lock()
	w.armed.Store(0)
	w.modify(0)
	w.mu.Unlock()
}

// modify arms the socket for exactly these events. The caller holds w.mu.
func (w *socketWire) modify(events uint32) {
	switch {
	case w.gone:
	case !w.left:
		w.p.Modify(w.fd, w.number, events)
	case events != 0:
		w.left = false
		if err := w.p.Enter(w.fd, w.number, events); err != nil {
			err := hca.Wrap(hca.Broken, "connection", "", "the system cannot watch its socket any more", err)
			w.c.a.Engine.Do(func() { w.c.q.End(hca.EventBroken, err) })
		}
	}
}

func (w *socketWire) Leave() {
	w.mu.Lock()
	if !w.gone && !w.left && w.armed.Load() == 0 {
		w.left = true
		w.p.Leave(w.fd)
	}
	w.mu.Unlock()
}

func (w *socketWire) Arm(rx, tx bool) {
	want := uint32(0)
	if rx {
		want |= progress.ArmRead
	}
	if tx {
		want |= progress.ArmWrite
	}
	w.ask(want)
}

func (w *socketWire) ArmEnd(fin bool) {
	want := uint32(progress.ArmLost)
	if fin {
		want |= progress.ArmFin
	}
	w.ask(want)
}

func (w *socketWire) Ended() (told bool, err error) {
	if !w.end.Load() || !w.end.Swap(false) {
		return false, nil
	}
	return true, wire.SocketError(w.fd)
}

// ask arms the wanted events that are not armed yet.
func (w *socketWire) ask(want uint32) {
	if want == 0 {
		return
	}
	if w.armed.Load()&want == want {
		return
	}
	w.mu.Lock()
	want |= w.armed.Load()
	w.armed.Store(want)
	w.modify(want)
	w.mu.Unlock()
}

func (w *socketWire) Release() (net.Conn, error) {
	w.mu.Lock()
	w.gone = true
	w.p.Remove(w.fd)
	w.mu.Unlock()
	return wire.GiveSocket(w.fd)
}
