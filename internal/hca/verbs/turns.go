package verbs

import (
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
	"github.com/godapl/godapl/internal/wait"
)

// turns decides which goroutine reads the completion channel of an adapter: one of the adapter's own, or a consumer that
// waits. A consumer that reads by itself is not woken by another goroutine; it handles the notifications of all queues
// meanwhile. When it has what it has waited for, and nobody else sleeps, nobody reads: the next consumer does, or the
// goroutine goes on as soon as somebody goes to sleep who does not read. If others do sleep, the goroutine goes on at once. That
// takes as much as it saves, so consumers that leave others asleep do not read for a while: see rest.
type turns struct {
	next     func() ibv.Errno // handles one notification
	mine     func() bool      // the latest one was for the consumer that reads; only that calls it
	readable func() bool
	own      channel // as the goroutine waits for it
	theirs   channel // as consumers do
	park     wait.DescriptorParker
	look     func(uintptr) bool // of theirs
	round    func() bool        // of the consumer that parks

	role atomic.Uint32 // written under mu
	// sleepers counts queues that are armed and whose consumers may sleep, and those that wait for entries of a queue
	// pair.
	sleepers atomic.Int32

	others int         // more notifications for others than for itself; the consumer's
	tired  atomic.Bool // the consumer that reads shall not go on

	closed atomic.Bool

	mu     sync.Mutex
	at     channel // whose reader arrivals wake; nil: none
	rest   int     // how many consumers to come do not read
	rested int     // how many there were last
	gone   bool
	done   chan struct{}
}

// channel is a place in Go's poller where a goroutine can wait for the completion channel.
type channel interface {
	// Watch has arrivals wake the reader, or not any more. One that nobody has handled yet does, too.
	Watch(yes bool) error
	// Read calls f, and again when there may be more, until it returns true.
	Read(f func(fd uintptr) (done bool)) error
	SetReadDeadline(t time.Time) error
	Close() error
}

// The goroutine reads the channel, a consumer does, or nobody.
const (
	roleGoroutine uint32 = iota
	roleConsumer
	roleNobody
)

// Bounds of rest.
const (
	restFirst = 16
	restMost  = 1024
)

// othersMost is how many notifications for others a consumer handles, beside as many of its own: a channel's goroutine
// never leaves by itself, and others that it wakes would be woken by the goroutine with less.
const othersMost = 8

func newTurns(own, theirs channel, next func() ibv.Errno, readable func() bool) (*turns, error) {
	t := &turns{next: next, readable: readable, own: own, theirs: theirs, at: own, done: make(chan struct{})}
	if err := own.Watch(true); err != nil {
		return nil, err
	}
	t.look = func(uintptr) bool { return t.round() }
	t.park.Init(t, func() {
		t.read(nil)
		if t.others > othersMost && !t.tired.Load() {
			t.tired.Store(true)
			t.pause()
			(*t.park.Kicker())()
		}
	})
	return t, nil
}

// run is the adapter's goroutine. It ends when its place is closed, or when the device is gone, of which its own event has
// told.
func (t *turns) run() {
	defer close(t.done)
	_ = t.own.Read(func(uintptr) bool { return t.role.Load() == roleGoroutine && t.read(t.readable) })
}

// read handles notifications until there are none, or more says so. over means that there will be no more.
func (t *turns) read(more func() bool) (over bool) {
	for {
		switch t.next() {
		case 0:
			switch {
			case more != nil || t.mine == nil:
			case t.mine():
				t.others = max(t.others-1, 0)
			default:
				t.others++
			}
			// Most events come alone. Asking the kernel is cheaper than asking the library once more. A consumer that has
			// what it waits for leaves the rest to its next look.
			if more != nil && !more() || more == nil && t.park.Kicked() {
				return false
			}
		case ibv.EINTR:
		case ibv.EAGAIN:
			return false
		default:
			return true
		}
	}
}

// acquire makes the caller the one who reads, unless another consumer does. An arrival wakes it through at; nil: it is a
// thread that watches the completion channel by itself.
func (t *turns) acquire(at channel) bool {
	if !t.park.AcquirePark() {
		return false
	}
	t.mu.Lock()
	ok := !t.gone
	if ok && t.role.Load() == roleGoroutine && t.rest > 0 {
		t.rest--
		ok = false
	}
	if ok && t.move(at) {
		t.others = 0
		t.tired.Store(false)
		t.role.Store(roleConsumer)
	} else {
		ok = false
	}
	t.mu.Unlock()
	if !ok {
		t.leave()
	}
	return ok
}

// move has arrivals wake another reader. The caller holds mu.
func (t *turns) move(to channel) bool {
	if t.at == to {
		return true
	}
	if to != nil && to.Watch(true) != nil {
		return false
	}
	if t.at != nil {
		_ = t.at.Watch(false)
	}
	t.at = to
	return true
}

// release is the end of that.
func (t *turns) release() {
	t.giveUp()
	t.leave()
}

// leave gives the place at the channel back.
func (t *turns) leave() {
	t.park.ReleasePark()
	if t.closed.Load() {
		t.free()
	}
}

// giveUp lets others read.
func (t *turns) giveUp() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.role.Load() != roleConsumer {
		return
	}
	t.role.Store(roleNobody) // before it looks for sleepers: those that come later look here
	if t.sleepers.Load() == 0 {
		t.rested = 0
		return
	}
	t.rested = min(max(2*t.rested, restFirst), restMost)
	t.rest = t.rested
	t.goOn()
}

// pause has the goroutine read in place of the consumer, which is busy, or tired.
func (t *turns) pause() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.role.Load() != roleConsumer {
		return
	}
	t.role.Store(roleNobody)
	t.goOn()
	if t.tired.Load() {
		t.rested = restMost
		t.rest = t.rested
	}
}

// goOn has the goroutine read if nobody does. The caller holds mu. Where the system refuses, the next who arms tries again.
func (t *turns) goOn() {
	if t.role.Load() == roleNobody && !t.gone {
		t.role.Store(roleGoroutine) // before it wakes up
		if !t.move(t.own) {
			t.role.Store(roleNobody)
		}
	}
}

// slept says that somebody sleeps, who may not read. That one counts as a sleeper already.
func (t *turns) slept() {
	if t.role.Load() == roleNobody {
		t.mu.Lock()
		t.goOn()
		t.mu.Unlock()
	}
}

// Await, Interrupt and Clear implement wait.Descriptor, for the consumer.
func (t *turns) Await(look func() bool) error {
	t.round = look
	err := t.theirs.Read(t.look)
	if err == os.ErrDeadlineExceeded && !t.closed.Load() {
		return wait.ErrInterrupted
	}
	return err
}

func (t *turns) Interrupt() { _ = t.theirs.SetReadDeadline(time.Unix(1, 0)) }

func (t *turns) Clear() {
	_ = t.theirs.SetReadDeadline(time.Time{})
	if t.closed.Load() {
		t.Interrupt() // close has interrupted, and Clear may just have undone that
	}
}

// close ends both, and waits for the goroutine. next must fail from now on. It does not wait for a consumer that
// reads: it may be busy with an event that nobody receives from a channel. The last to leave closes its descriptor.
func (t *turns) close() {
	t.mu.Lock()
	t.gone = true
	t.mu.Unlock()
	t.closed.Store(true)
	t.Interrupt()
	t.free()
	_ = t.own.Close()
	<-t.done
}

// free closes the consumers' descriptor if no consumer reads. Of those who call it at the same time one keeps the place
// at the channel.
func (t *turns) free() {
	if t.park.AcquirePark() {
		_ = t.theirs.Close()
	}
}
