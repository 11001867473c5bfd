package progress

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/park"
)

const (
	ArmRead  = unix.EPOLLIN | unix.EPOLLRDHUP
	ArmWrite = unix.EPOLLOUT
	ArmLost  = unix.EPOLLERR // the kernel reports it for every armed descriptor
	ArmFin   = unix.EPOLLRDHUP
	AnyEnd   = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
)

// A Handler handles the events of one descriptor. Event, and each Continue after it, takes a bounded time, and
// reports whether to run again after the others.
type Handler interface {
	Event(events uint32) (again bool)
	// Continue continues the work.
	Continue() (again bool)
	// SetPending notes whether a Continue is pending.
	SetPending(bool)
	// ToEngine leaves the work to the engine, in place of a Continue.
	ToEngine()
}

// Poller watches the adapter's idle sockets with a kernel queue (epoll) of its own, which is itself in Go's
// poller: one goroutine serves all sockets, and each can be armed and disarmed.
type Poller struct {
	Adapter string // its name

	mu      sync.Mutex
	queue   atomic.Pointer[park.Epoll] // nil as long as there is none; written under mu
	watched map[int32]watched
	last    int32 // number of the latest descriptor
	closed  bool
	wg      sync.WaitGroup

	pending []Handler // handlers with a pending Continue, in order; owned by the poller's goroutine

	pollMu sync.Mutex // guards what Poll uses
	ask    func(fd uintptr)
	seen   [16]unix.EpollEvent
	n      int

	Lead   Lead
	Rounds *Counters
}

// A watched descriptor has a number, because its file descriptor is reused as soon as it is closed, while an event
// of the former one may still be unhandled.
type watched struct {
	w      Handler
	number int32
}

// Add stores the number of the descriptor, which Modify needs. It is stored before the first event is reported.
// A connection that is being made while the adapter closes may come here after Close.
func (p *Poller) Add(fd int, w Handler, number *int32) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return hca.NewError(hca.Closed, "watch", p.Adapter, "the adapter has been closed")
	}
	if p.queue.Load() == nil {
		q, err := park.NewEpoll()
		if err != nil {
			return err
		}
		p.watched = make(map[int32]watched)
		p.Lead.init(p, q)
		p.queue.Store(q)
		p.wg.Go(hca.Labeled(p.Adapter, "poller", p.Serve))
	}
	p.last++
	*number = p.last
	if err := p.ctl(unix.EPOLL_CTL_ADD, fd, p.last, 0); err != nil {
		return err
	}
	p.watched[int32(fd)] = watched{w, p.last}
	return nil
}

// Modify sets the events to report: one for each edge. A state that already holds counts as an edge.
func (p *Poller) Modify(fd int, number int32, events uint32) {
	_ = p.ctl(unix.EPOLL_CTL_MOD, fd, number, events)
}

// Leave removes a descriptor from the kernel's queue, until Enter is called.
func (p *Poller) Leave(fd int) { _ = unix.EpollCtl(p.Descriptor(), unix.EPOLL_CTL_DEL, fd, nil) }

// Enter is Modify for a descriptor that Leave removed.
func (p *Poller) Enter(fd int, number int32, events uint32) error {
	return p.ctl(unix.EPOLL_CTL_ADD, fd, number, events)
}

func (p *Poller) ctl(op, fd int, number int32, events uint32) error {
	if events == 0 {
		events = unix.EPOLLONESHOT // the kernel always reports errors
	} else {
		events |= unix.EPOLLET
	}
	ev := unix.EpollEvent{Events: events, Fd: int32(fd), Pad: number}
	return os.NewSyscallError("epoll_ctl", unix.EpollCtl(p.Descriptor(), op, fd, &ev))
}

func (p *Poller) Remove(fd int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.watched, int32(fd))
	p.Leave(fd)
}

// find returns the handler of an event; nil if it has been removed.
func (p *Poller) find(ev *unix.EpollEvent) Handler {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.watched[ev.Fd]
	if e.number != ev.Pad {
		return nil
	}
	return e.w
}

func (p *Poller) Serve() {
	var events [64]unix.EpollEvent
	// Events are handled inside the callback, which asks again after a full list, and between two Turns. A
	// later event causes another edge in Go's poller, which is not lost as long as the callback does not end
	// the read.
	var failed bool
	read := func(fd uintptr) (over bool) {
		for p.Lead.state.Load() == poller {
			p.Rounds.Events.Add(1)
			n, err := unix.EpollWait(int(fd), events[:], 0)
			if failed = err != nil && err != unix.EINTR; failed {
				return true
			}
			p.report(events[:max(n, 0)])
			if !p.runPending() && err == nil && n < len(events) {
				return false
			}
		}
		p.leavePending()
		return true
	}
	for {
		err := p.queue.Load().Raw.Read(read)
		if failed || err != nil && err != os.ErrDeadlineExceeded || !p.Lead.next() {
			return
		}
	}
}

// leavePending leaves what is pending to the engine.
func (p *Poller) leavePending() {
	for _, w := range p.pending {
		w.SetPending(false)
		w.ToEngine()
	}
	clear(p.pending)
	p.pending = p.pending[:0]
}

func (p *Poller) report(events []unix.EpollEvent) {
	for i := range events {
		if w := p.find(&events[i]); w != nil && w.Event(events[i].Events) {
			p.again(w)
		}
	}
}

func (p *Poller) again(w Handler) {
	w.SetPending(true)
	p.pending = append(p.pending, w)
}

// runPending runs the next pending handler, if there is one. Events of others are handled before the one after
// it.
func (p *Poller) runPending() bool {
	if len(p.pending) == 0 {
		return false
	}
	w := p.pending[0]
	n := copy(p.pending, p.pending[1:])
	p.pending[n] = nil
	p.pending = p.pending[:n]
	w.SetPending(false)
	if w.Continue() {
		p.again(w)
	}
	runtime.Gosched() // lets goroutines run that this woke
	return true
}

// Poll handles pending events, on the goroutine of an engine worker that has more to do: with all processors
// busy, Go checks its own poller only a hundred times a second. It reports whether there were events.
func (p *Poller) Poll() bool {
	q := p.queue.Load()
	if q == nil || !p.pollMu.TryLock() {
		return false
	}
	defer p.pollMu.Unlock()
	if p.ask == nil {
		p.ask = func(fd uintptr) { p.n, _ = unix.EpollWait(int(fd), p.seen[:], 0) }
	}
	p.n = 0
	if q.Raw.Control(p.ask) != nil {
		return false // closed
	}
	p.reportOnce(p.seen[:max(p.n, 0)])
	return p.n > 0
}

// reportOnce reports events on a goroutine that does not continue the work. The engine does.
func (p *Poller) reportOnce(events []unix.EpollEvent) {
	for i := range events {
		if w := p.find(&events[i]); w != nil && w.Event(events[i].Events) {
			w.ToEngine()
		}
	}
}

// Descriptor returns the kernel queue's descriptor; -1 as long as there is none.
func (p *Poller) Descriptor() int {
	if q := p.queue.Load(); q != nil {
		return q.FD
	}
	return -1
}

func (p *Poller) Close() {
	p.mu.Lock()
	p.closed = true
	q := p.queue.Load()
	p.mu.Unlock()
	if q != nil {
		_ = q.File.Close()
		p.Lead.wake()
		p.wg.Wait()
	}
}

// ended reports whether the poller has been closed.
func (p *Poller) ended() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}
