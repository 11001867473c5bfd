package verbs

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca/park"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// turns decides which goroutine reads the completion channel of an adapter: one of the adapter's own, or a consumer that
// waits. A consumer that reads by itself is not woken by another goroutine; it handles the notifications of all queues
// meanwhile. When it has what it has waited for, and nobody else sleeps, nobody reads: the next consumer does, or the
// goroutine goes on as soon as somebody goes to sleep who does not read. If others do sleep, the goroutine goes on at once. That
// takes as much as it saves, so consumers that leave others asleep do not read for a while: see rest.
type turns struct {
	descriptor
	mine   func() bool // the latest notification was for the consumer that reads; only that calls it
	theirs park.Park   // the consumers'; its owner reads

	role atomic.Uint32 // written under mu
	// sleepers counts queues that are armed and whose consumers may sleep, and those that wait for entries of a queue
	// pair.
	sleepers atomic.Int32

	others int         // more notifications for others than for itself; the consumer's
	tired  atomic.Bool // the consumer that reads shall not go on

	mu     sync.Mutex // guards at, too
	rest   int        // how many consumers to come do not read
	rested int        // how many there were last
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

// start has the notifications at fd read. next handles one.
func (t *turns) start(name string, fd int, next func() ibv.Errno, mine func() bool) error {
	t.mine = mine
	if err := openPark(&t.theirs, name, fd, t, (*park.Park).OpenNear); err != nil {
		return err
	}
	err := t.descriptor.start(name, fd, next, t)
	if err != nil {
		t.theirs.Close()
	}
	return err
}

// Arrived implements park.Driver, for the goroutine and for the consumer.
func (t *turns) Arrived(p *park.Park) {
	if p == &t.own {
		if t.role.Load() == roleGoroutine {
			t.descriptor.Arrived(p)
		}
		return
	}
	t.read(t.served)
	if t.others > othersMost && !t.tired.Load() {
		t.tired.Store(true)
		t.pause()
		(*p.Kicker())()
	}
}

// served counts the latest notification. A consumer that has what it waits for leaves the rest to its next look.
func (t *turns) served() (enough bool) {
	if t.mine() {
		t.others = max(t.others-1, 0)
	} else {
		t.others++
	}
	return t.theirs.Kicked()
}

// acquire makes the caller the one who reads, unless another consumer does. An arrival wakes it in the park at; nil: it is
// a thread that watches the completion channel by itself.
func (t *turns) acquire(at *park.Park) bool {
	if !t.theirs.AcquirePark() {
		return false
	}
	t.mu.Lock()
	ok := t.role.Load() != roleGoroutine || t.rest == 0
	if !ok {
		t.rest--
	} else if ok = t.at.Move(t.fd, at) == nil; ok {
		t.others = 0
		t.tired.Store(false)
		t.role.Store(roleConsumer)
	}
	t.mu.Unlock()
	if !ok {
		t.theirs.ReleasePark()
	}
	return ok
}

// release is the end of that.
func (t *turns) release() {
	t.giveUp()
	t.theirs.ReleasePark()
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

// goOn has the goroutine read if nobody does. The caller holds mu. The system watches a limited number of descriptors: where
// there is no room for this one twice, it leaves the consumers' park first, in which nobody sleeps. Where the system refuses even
// so, the next who arms tries again.
func (t *turns) goOn() {
	if t.role.Load() != roleNobody {
		return
	}
	t.role.Store(roleGoroutine) // before it wakes up
	if t.at.Move(t.fd, &t.own) != nil && (t.at.Move(t.fd, nil) != nil || t.at.Move(t.fd, &t.own) != nil) {
		t.role.Store(roleNobody)
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

// close ends both, and waits for the goroutine, but not for a consumer that reads. next must fail from now on.
func (t *turns) close() {
	t.theirs.Close()
	t.descriptor.close()
}
