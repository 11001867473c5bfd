package stream

import (
	"context"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/park"
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/hca/soft/stream/secure"
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
	case *secure.Stream:
		return c.newSecureWire(s)
	default:
		return wire.New(conn, c.a.Attrs.Name, c.Schedule), nil
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

	armed   atomic.Uint32 // what is armed now; written under mu
	end     atomic.Bool   // the poller has reported an end, and nobody has checked it
	pending atomic.Bool   // the poller will run it again, after the others

	mu   sync.Mutex // excludes leave and release while arming
	gone bool
	left bool // the socket is out of the kernel's queue, but not out of the poller
	// parked: somebody else watches for input. It is set under mu.
	parked atomic.Bool
	at     park.Place // in no park while input is armed

	vec wire.Vector // for write

	resent uint64 // as the kernel counted last; guarded by mu
}

// Resent returns how many segments TCP has sent again. It reports false for other sockets.
func (w *socketWire) Resent() (uint64, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.gone {
		n, ok := wire.Resent(w.fd)
		if !ok {
			return 0, false
		}
		w.resent = n
	}
	return w.resent, true
}

func (w *socketWire) Read(p []byte) (int, error) { return wire.RecvSocket(w.fd, p) }

// oneCPU: the threads of a process have but one processor, so none of them runs beside a call.
var oneCPU = runtime.NumCPU() == 1

func (w *socketWire) Write(list [][]byte) (int, error) {
	return wire.SendSocket(w.fd, list, &w.vec, w.c.aligned.Load(), !oneCPU && w.parked.Load())
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
	if w.pending.Load() {
		return false // a run is pending
	}
	return c.event(true)
}

// Continue continues what Event has begun.
func (w *socketWire) Continue() (again bool) { return w.c.event(false) }

// SetPending notes whether a run is pending in the poller's list.
func (w *socketWire) SetPending(yes bool) { w.pending.Store(yes) }

// ToEngine leaves the rest to the engine.
func (w *socketWire) ToEngine() { w.c.Schedule() }

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
	if !w.parked.Load() {
		w.at.Move(w.fd, nil)
	}
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

func (w *socketWire) Armed() bool { return w.armed.Load()&progress.ArmRead == progress.ArmRead }

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
	defer w.mu.Unlock()
	switch {
	case !w.parked.Load():
		if want&progress.ArmRead != 0 {
			w.at.Move(w.fd, nil)
		}
	case want&unix.EPOLLIN != 0: // not what ArmEnd asks for: only the poller tells of an end behind unread bytes
		want &^= progress.ArmRead
	}
	have := w.armed.Load()
	if want |= have; want != have {
		w.armed.Store(want)
		w.modify(want)
	}
}

// park implements parkable.
func (w *socketWire) park(p *park.Park) (fd int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone || w.at.Move(w.fd, p) != nil {
		return -1
	}
	w.parked.Store(true)
	if have := w.armed.Load(); have&progress.ArmRead != 0 {
		have &^= progress.ArmRead
		w.armed.Store(have)
		if have == 0 && !w.left {
			w.left = true
			w.p.Leave(w.fd)
		} else {
			w.modify(have)
		}
	}
	return w.fd
}

// unpark implements parkable.
func (w *socketWire) unpark() {
	w.mu.Lock()
	w.parked.Store(false)
	w.mu.Unlock()
}

func (w *socketWire) Release(context.Context) (net.Conn, error) {
	w.mu.Lock()
	if n, ok := wire.Resent(w.fd); ok {
		w.resent = n // the last that anybody can learn
	}
	w.gone = true
	w.at.Move(w.fd, nil)
	w.p.Remove(w.fd)
	w.mu.Unlock()
	return wire.GiveSocket(w.fd)
}
