package shm

import "sync/atomic"

// How a sleeper at a [Doorbell] is woken.
type How uint32

const (
	Awake   How = iota // it need not be: nobody sleeps
	ByEvent            // by a signal of its event
	ByBoard            // otherwise, as both sides have arranged
)

// A Doorbell lets one process wake a goroutine that sleeps in another process, at no cost
// when none sleeps. Its word lies in shared memory and is set while the sleeper sleeps
// or is about to. The sleeper parks on a descriptor (see [NewEvent]) of which the
// ringer has a copy. It is the wait loop of internal/wait with its two parts in two
// processes:
//
//	sleeper: look, Arm, look again, park, Disarm
//	ringer:  publish, Ring
//
// In either order, one of the two sees the other. Ring clears the word, so a batch of
// messages costs one system call, and none if nothing sleeps. A peer that writes
// nonsense to the word causes a spurious wake-up, or sleeps on itself.
type Doorbell struct {
	word  *atomic.Uint32
	order Order
}

// NewDoorbell returns a doorbell over a word of shared memory that is initially 0. Give the
// word a cache line of its own: the ringer loads it for each message.
func NewDoorbell(word *atomic.Uint32, order Order) Doorbell { return Doorbell{word, order} }

// Arm announces that the caller will sleep; the caller must look once more before it
// does. An armed doorbell stays armed: everything that is published after the first Arm
// rings.
func (b Doorbell) Arm() { b.ArmFor(ByEvent) }

// ArmFor is Arm for a sleeper that is woken as how says, from now on.
func (b Doorbell) ArmFor(how How) {
	if b.word.Load() == uint32(how) {
		return
	}
	b.word.Store(uint32(how))
	b.order.Slow()
}

// Disarm announces that the caller is awake. The ringer may have signalled already;
// then the next sleep is short.
func (b Doorbell) Disarm() {
	if b.word.Load() != 0 {
		b.word.Store(0)
	}
}

// Armed reports whether a sleeper sleeps or is about to.
func (b Doorbell) Armed() bool { return b.word.Load() != 0 }

// ArmedFor tells how the sleeper is to be woken.
func (b Doorbell) ArmedFor() How { return How(b.word.Load()) }

// Ring wakes the sleeper, if there is one, through its event. The caller has published
// its data before. Ring never blocks.
func (b Doorbell) Ring(event int) error {
	b.order.fast()
	return b.wake(event)
}

// Take is Ring for a sleeper that may sleep in several ways. It returns how to wake it, which the caller does at once. What
// the other process has written may be none of the constants.
func (b Doorbell) Take() How {
	b.order.fast()
	return b.take()
}

// take and wake are Take and Ring behind the fence.
func (b Doorbell) take() How {
	if b.word.Load() == 0 {
		return Awake
	}
	return How(b.word.Swap(0))
}

func (b Doorbell) wake(event int) error {
	if b.take() == Awake {
		return nil
	}
	return Signal(event)
}

// A Flag is one bit of a word of shared memory. It says that one of several that share a doorbell has
// something to look at.
type Flag struct {
	word *atomic.Uint64
	bit  uint64
}

// FlagOf is bit n of a word.
func FlagOf(word *atomic.Uint64, n uint) Flag { return Flag{word, 1 << n} }

// RingFor is Ring for one of several that share the doorbell: it raises the flag of that one. The
// sleeper lowers flags, and then looks at what they stand for, behind a fence (see [Order.Slow]).
func (b Doorbell) RingFor(f Flag, event int) error {
	b.order.fast()
	if f.word.Load()&f.bit == 0 {
		f.word.Or(f.bit)
	}
	return b.wake(event)
}
