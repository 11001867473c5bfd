package rdmatest

import (
	"io"
	"net"
	"os"
	"time"

	"github.com/godapl/godapl/internal/hca/soft/errno"
)

// stream is a byte stream between two hosts: two ways, and an end on each host. The world's lock
// guards it.
type stream struct {
	w      *World
	ways   [2]*way // 0: from the dialer
	ends   [2]*end
	lost   bool
	passed passed // of a socket
}

// end is a net.Conn: one end of a stream.
type end struct {
	s             *stream
	in, out       *way
	local, remote address
	closed        bool
	readBy        deadline
	writeBy       deadline
}

// address is the address of an end.
type address string

func (address) Network() string  { return "world" }
func (a address) String() string { return string(a) }

// deadline wakes those that wait at a way.
type deadline struct {
	at    time.Time
	timer *time.Timer
}

func (d *deadline) over() bool { return !d.at.IsZero() && !d.at.After(time.Now()) }

func (w *World) newStream(name string, from, to *Host, local, remote address) *stream {
	s := &stream{w: w}
	l := w.link(from, to)
	for i, h := range [2]*Host{from, to} {
		y := &way{s: s, name: name + [2]string{" there", " back"}[i], from: h, to: [2]*Host{to, from}[i], link: l}
		y.moved.L = &w.mu
		s.ways[i] = y
	}
	s.ends[0] = &end{s: s, in: s.ways[1], out: s.ways[0], local: local, remote: remote}
	s.ends[1] = &end{s: s, in: s.ways[0], out: s.ways[1], local: remote, remote: local}
	w.streams[string(local)] = s
	w.ways = append(w.ways, s.ways[0], s.ways[1])
	return s
}

// reset loses the stream: both ends learn of it.
func (s *stream) reset() {
	if s.lost {
		return
	}
	s.lost = true
	for _, y := range s.ways {
		y.flight, y.flying, y.arrived = nil, 0, nil
		y.changed()
	}
}

// sweep forgets the streams that are over. The caller holds w.mu.
func (w *World) sweep() {
	kept := w.ways[:0]
	for _, y := range w.ways {
		s := y.s
		over := s.lost || s.ways[0].fin == finArrived && s.ways[1].fin == finArrived
		if !over {
			kept = append(kept, y)
		}
	}
	clear(w.ways[len(kept):])
	w.ways = kept
}

func (e *end) LocalAddr() net.Addr  { return e.local }
func (e *end) RemoteAddr() net.Addr { return e.remote }

func (e *end) fail(op string, err error) error {
	return &net.OpError{Op: op, Net: "world", Source: e.local, Addr: e.remote, Err: err}
}

func (e *end) Read(b []byte) (int, error) {
	w := e.s.w
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		switch {
		case e.closed:
			return 0, e.fail("read", net.ErrClosed)
		case e.readBy.over():
			return 0, e.fail("read", os.ErrDeadlineExceeded)
		case e.s.lost:
			return 0, e.fail("read", errno.Reset)
		case len(e.in.arrived) > 0:
			return e.take(b), nil
		case e.in.fin == finArrived:
			return 0, io.EOF
		}
		e.in.moved.Wait()
	}
}

// take takes bytes that have arrived. The caller holds w.mu.
func (e *end) take(b []byte) int {
	n := copy(b, e.in.arrived)
	e.in.arrived = e.in.arrived[n:]
	e.in.moved.Broadcast() // there is room
	if e.in.writable != nil {
		e.in.writable()
	}
	e.s.w.wakeScheduler()
	return n
}

func (e *end) Write(b []byte) (n int, err error) {
	w := e.s.w
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		switch {
		case e.closed, e.out.fin != finNot && !e.out.ended:
			return n, e.fail("write", net.ErrClosed)
		case e.out.ended:
			e.s.reset()
			return n, e.fail("write", errno.Reset)
		case e.writeBy.over():
			return n, e.fail("write", os.ErrDeadlineExceeded)
		case e.s.lost:
			return n, e.fail("write", errno.Reset)
		case len(b) == 0:
			return n, nil
		}
		if k := min(e.out.room(), len(b)); k > 0 {
			e.out.accept(b[:k])
			n, b = n+k, b[k:]
			w.wakeScheduler()
			continue
		}
		e.out.moved.Wait()
	}
}

// CloseWrite ends the way out.
func (e *end) CloseWrite() error {
	e.s.w.mu.Lock()
	defer e.s.w.mu.Unlock()
	e.finish()
	return nil
}

func (e *end) finish() {
	if e.out.fin == finNot {
		e.out.fin, e.out.finAt = finSent, e.out.arrival(0)
		e.s.w.wakeScheduler()
	}
	e.out.changed()
}

// Close ends the stream as TCP does: bytes that were not read reset it.
func (e *end) Close() error {
	w := e.s.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if e.closed {
		return e.fail("close", net.ErrClosed)
	}
	e.closed, e.in.closed = true, true
	delete(w.held, e)
	e.readBy.stop()
	e.writeBy.stop()
	if len(e.in.arrived) > 0 {
		e.s.reset()
		w.sweep()
	}
	e.finish()
	e.in.changed()
	return nil
}

func (e *end) SetDeadline(t time.Time) error {
	_ = e.SetReadDeadline(t)
	return e.SetWriteDeadline(t)
}

func (e *end) SetReadDeadline(t time.Time) error  { return e.setDeadline(&e.readBy, e.in, t) }
func (e *end) SetWriteDeadline(t time.Time) error { return e.setDeadline(&e.writeBy, e.out, t) }

func (e *end) setDeadline(d *deadline, y *way, t time.Time) error {
	w := e.s.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if e.closed {
		return e.fail("set", net.ErrClosed)
	}
	d.stop()
	if d.at = t; !t.IsZero() && t.After(time.Now()) {
		d.timer = time.AfterFunc(time.Until(t), func() {
			w.mu.Lock()
			y.changed()
			w.mu.Unlock()
		})
	}
	y.changed()
	return nil
}

func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}
