package progress

import (
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca/park"
	"github.com/godapl/godapl/internal/wait"
)

// A Lead is the right to read the sockets of a poller. The poller's goroutine has it, unless a consumer takes it that waits
// at many connections: it then reads on its own goroutine what arrives, and no other one runs beside it on the same memory.
//
// A consumer that leaves the lead to go through its completions leaves it vacant: it will probably be back soon, and
// meanwhile its polls ask the poller. If it does not come back, or others sleep, the poller's goroutine goes on.
type Lead struct {
	PollState
	p      *Poller
	parker wait.DescriptorParker // the consumer's
	events [64]unix.EpollEvent   // the consumer's

	mu    sync.Mutex
	state atomic.Uint32 // written under mu
	turn  chan struct{} // the poller's goroutine has the lead
}

// Values of state: who has the lead.
const (
	poller = iota
	consumer
	vacant
)

func (l *Lead) init(p *Poller, q *park.Epoll) {
	l.p, l.turn = p, make(chan struct{}, 1)
	l.parker.Init(q, l.round)
}

// AcquireLead gives the lead to a consumer, if no other one has it. The consumer may then sleep in Park.
func (p *Poller) AcquireLead() bool {
	l, q := &p.Lead, p.queue.Load()
	if q == nil || !l.parker.AcquirePark() {
		return false
	}
	l.mu.Lock()
	if l.state.Load() == poller {
		q.Interrupt()
	}
	l.state.Store(consumer)
	l.mu.Unlock()
	return true
}

// Park is that of wait.Parker.
func (l *Lead) Park(again func() bool) bool { return l.parker.Park(again) }

// Kicker is that of wait.Parker.
func (l *Lead) Kicker() *func() { return l.parker.Kicker() }

// Leave leaves the lead vacant. The caller then looks whether somebody else sleeps, and calls Serve if so.
func (l *Lead) Leave(b *Background) {
	l.mu.Lock()
	l.state.Store(vacant)
	l.mu.Unlock()
	l.parker.ReleasePark()
	l.Polled.Store(true)
	b.Watch(l)
}

// Serve gives a vacant lead to the poller's goroutine.
func (l *Lead) Serve() {
	if l.state.Load() != vacant {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state.Load() == vacant {
		l.state.Store(poller)
		l.wake()
	}
}

// wake wakes the poller's goroutine, if it waits for its turn.
func (l *Lead) wake() {
	select {
	case l.turn <- struct{}{}:
	default:
	}
}

// next waits until the poller's goroutine is to read. It returns false when the poller is closed.
func (l *Lead) next() bool {
	for {
		l.mu.Lock()
		mine := l.state.Load() == poller
		if mine { // nobody else sleeps there, and is to be interrupted
			l.p.queue.Load().Clear()
		}
		l.mu.Unlock()
		switch {
		case l.p.ended():
			return false
		case mine:
			return true
		}
		<-l.turn
	}
}

// round handles what has arrived, on the goroutine of the consumer.
func (l *Lead) round() {
	for {
		l.p.Rounds.Events.Add(1)
		n, err := unix.EpollWait(l.p.Descriptor(), l.events[:], 0)
		l.p.reportOnce(l.events[:max(n, 0)])
		if err != unix.EINTR && n < len(l.events) || l.parker.Kicked() {
			return
		}
	}
}

// Waits implements Pollable.
func (l *Lead) Waits() bool { return false }

// Arm implements Pollable.
func (l *Lead) Arm() { l.Serve() }

// Steady implements Pollable.
func (l *Lead) Steady() {}

// Rearm implements Pollable: the consumer has not come back.
func (l *Lead) Rearm() { l.Serve() }
