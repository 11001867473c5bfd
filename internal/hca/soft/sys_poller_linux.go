package soft

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	armRead  = unix.EPOLLIN | unix.EPOLLRDHUP
	armWrite = unix.EPOLLOUT
	armLost  = unix.EPOLLERR // which the kernel reports of all that is armed
	armFin   = unix.EPOLLRDHUP
	anyEnd   = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
)

// A handler is told what happens to a descriptor that the poller looks after. An event, and each turn behind it, is handled in
// bounded time, and says whether to come again when others have had theirs.
type handler interface {
	event(events uint32) (again bool)
	// turn goes on.
	turn() (again bool)
	// waits notes whether a turn is coming.
	waits(bool)
	// goOn leaves what there is to the engine, instead of a turn.
	goOn()
}

// poller watches the adapter's idle sockets with a kernel queue of its own,
// which itself sits in Go's poller: one goroutine serves them all, and the
// sockets can be armed and disarmed one by one.
type poller struct {
	mu    sync.Mutex
	file  *os.File
	fd    int
	wires map[int32]entrant
	last  int32 // the number of the latest entrant
	wg    sync.WaitGroup
	raw   atomic.Pointer[syscall.RawConn] // of file; nil as long as there is none

	hot []handler // that have turns coming, the next in front; of the poller's goroutine

	looking sync.Mutex // guards what look uses
	ask     func(fd uintptr)
	seen    [16]unix.EpollEvent
	n       int

	rounds *rounds
}

// An entrant is numbered, since a descriptor's number is used again as soon as it
// is closed, while an event of the former one may be in the poller's hand.
type entrant struct {
	w      handler
	number int32
}

// add stores the entrant's number, which modify wants. It is there before the first event
// is reported.
func (p *poller) add(fd int, w handler, number *int32) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
		if err != nil {
			return os.NewSyscallError("epoll_create1", err)
		}
		if err := unix.SetNonblock(fd, true); err != nil {
			_ = unix.Close(fd)
			return os.NewSyscallError("fcntl", err)
		}
		p.fd = fd
		p.file = os.NewFile(uintptr(fd), "epoll")
		p.wires = make(map[int32]entrant)
		raw, err := p.file.SyscallConn()
		if err != nil {
			_ = p.file.Close()
			p.file = nil
			return err
		}
		p.raw.Store(&raw)
		p.wg.Go(p.serve)
	}
	p.last++
	*number = p.last
	if err := p.ctl(unix.EPOLL_CTL_ADD, fd, p.last, 0); err != nil {
		return err
	}
	p.wires[int32(fd)] = entrant{w, p.last}
	return nil
}

// modify says which events are to come, once for each change to the better. If
// there is such a state already, that counts as one.
func (p *poller) modify(fd int, number int32, events uint32) {
	_ = p.ctl(unix.EPOLL_CTL_MOD, fd, number, events)
}

// leave has the kernel forget an entrant, until it enters again.
func (p *poller) leave(fd int) { _ = unix.EpollCtl(p.fd, unix.EPOLL_CTL_DEL, fd, nil) }

// enter is modify for who has left.
func (p *poller) enter(fd int, number int32, events uint32) error {
	return p.ctl(unix.EPOLL_CTL_ADD, fd, number, events)
}

func (p *poller) ctl(op, fd int, number int32, events uint32) error {
	if events == 0 {
		events = unix.EPOLLONESHOT // the kernel tells of errors unasked
	} else {
		events |= unix.EPOLLET
	}
	ev := unix.EpollEvent{Events: events, Fd: int32(fd), Pad: number}
	return os.NewSyscallError("epoll_ctl", unix.EpollCtl(p.fd, op, fd, &ev))
}

func (p *poller) remove(fd int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.wires, int32(fd))
	p.leave(fd)
}

// find is whom an event is of, or nil if that one has been removed.
func (p *poller) find(ev *unix.EpollEvent) handler {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.wires[ev.Fd]
	if e.number != ev.Pad {
		return nil
	}
	return e.w
}

func (p *poller) serve() {
	var events [64]unix.EpollEvent
	// Events are handled inside the callback, which asks again after a full list, and
	// between two turns. What comes later makes another edge in Go's poller, which is not
	// forgotten as long as the callback does not end the read.
	_ = (*p.raw.Load()).Read(func(fd uintptr) (closed bool) {
		for {
			p.rounds.events.Add(1)
			n, err := unix.EpollWait(int(fd), events[:], 0)
			if err != nil && err != unix.EINTR {
				return true
			}
			p.report(events[:max(n, 0)])
			if !p.nextTurn() && err == nil && n < len(events) {
				return false
			}
		}
	})
}

func (p *poller) report(events []unix.EpollEvent) {
	for i := range events {
		if w := p.find(&events[i]); w != nil && w.event(events[i].Events) {
			p.again(w)
		}
	}
}

func (p *poller) again(w handler) {
	w.waits(true)
	p.hot = append(p.hot, w)
}

// nextTurn gives the next one its turn, if there is any. What has come for others is
// looked at before the one behind it.
func (p *poller) nextTurn() bool {
	if len(p.hot) == 0 {
		return false
	}
	w := p.hot[0]
	n := copy(p.hot, p.hot[1:])
	p.hot[n] = nil
	p.hot = p.hot[:n]
	w.waits(false)
	if w.turn() {
		p.again(w)
	}
	runtime.Gosched() // whoever was woken by it
	return true
}

// look handles what there is to report, on the goroutine of a worker of the engine that
// has more to do: with all processors busy, Go looks at its own poller a hundred times a
// second only. It reports whether there was something.
func (p *poller) look() bool {
	raw := p.raw.Load()
	if raw == nil || !p.looking.TryLock() {
		return false
	}
	defer p.looking.Unlock()
	if p.ask == nil {
		p.ask = func(fd uintptr) { p.n, _ = unix.EpollWait(int(fd), p.seen[:], 0) }
	}
	p.n = 0
	if (*raw).Control(p.ask) != nil {
		return false // closed
	}
	for i := range max(p.n, 0) {
		if w := p.find(&p.seen[i]); w != nil && w.event(p.seen[i].Events) {
			w.goOn()
		}
	}
	return p.n > 0
}

// descriptor is the kernel's queue; -1 as long as there is none.
func (p *poller) descriptor() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		return -1
	}
	return p.fd
}

func (p *poller) close() {
	p.mu.Lock()
	f := p.file
	p.mu.Unlock()
	if f != nil {
		_ = f.Close()
		p.wg.Wait()
	}
}
