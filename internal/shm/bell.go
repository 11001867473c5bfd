package shm

import "sync/atomic"

// A Bell is how one process wakes a sleeper of the other, and how it knows that
// nobody sleeps. The word lies in shared memory; the sleeper parks on a
// descriptor of its own (see [NewEvent]), of which the ringer has a copy. It is the
// loop of internal/wait, with its parts in two processes:
//
//	sleeper: look, Arm, look again, park, Disarm
//	ringer:  publish, Ring
//
// Whichever is first, one sees the other. One ring wakes for whatever was
// published by then, and clears the word, so a batch of messages costs one system
// call, and none at all if nobody sleeps. A peer that writes nonsense to the word
// causes a wake-up too many or its own silence.
type Bell struct {
	word  *atomic.Uint32
	order Order
}

// NewBell is a bell over a word of shared memory that holds 0 at first; on a cache line
// of its own, as the ringer loads it for each message.
func NewBell(word *atomic.Uint32, order Order) Bell { return Bell{word, order} }

// Arm says that the caller will sleep unless it sees something now: it must look
// again after it. If it is armed already, there is nothing to do: whatever was published
// behind that rings.
func (b Bell) Arm() {
	if b.word.Load() != 0 {
		return
	}
	b.word.Store(1)
	b.order.Slow()
}

// Disarm says that the caller is awake. The ringer may have signalled already: the
// next sleep is then a short one.
func (b Bell) Disarm() {
	if b.word.Load() != 0 {
		b.word.Store(0)
	}
}

// Armed is whether somebody sleeps or is about to.
func (b Bell) Armed() bool { return b.word.Load() != 0 }

// Ring wakes the sleeper, if there is one, through its event. What it shall see has
// been published before. It never blocks.
func (b Bell) Ring(event int) error {
	b.order.fast()
	if b.word.Load() == 0 || b.word.Swap(0) == 0 {
		return nil
	}
	return Signal(event)
}
