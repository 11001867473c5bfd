package wait

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/fence"
)

// MarkLock is a lock for work that several goroutines publish and any of them can do. A
// goroutine that finds it locked need not wait: [MarkLock.LockOrMark] leaves a mark,
// and the holder finds the mark when it unlocks:
//
//	publish the work
//	if l.LockOrMark() {
//		do what is published
//		for !l.Unlock() {
//			do what is published
//		}
//	}
//
// LockOrMark is safe also if the caller already holds the lock; [MarkLock.Lock] would then
// block for ever. The zero value is an unlocked lock.
//
// The lock and the mark are separate words, so unlocking needs no atomic exchange: see
// package fence. The holder checks for a mark once more after it has unlocked, so no mark
// is lost.
type MarkLock struct {
	word  atomic.Uint64 // stored by the holder, and by the goroutine that takes the lock
	asked atomic.Uint32 // stored by goroutines that want the lock
	// queue orders the goroutines that block; the first of them sleeps in cell.
	queue sync.Mutex
	cell  Cell
}

// held is the word while the lock is taken.
const held = 1

// The bits of asked.
const (
	marked = 1 << iota // the holder has work to do before it unlocks
	wanted             // a goroutine sleeps in cell
)

// lockSpin is how often Lock tries before it sleeps: the lock is held for short times.
const lockSpin = 32

// markLooks is how often LockOrMark checks its mark, for some hundred nanoseconds in all,
// before it calls the kernel. Only tests change it.
var markLooks = 256

// TryLock takes the lock if it is free, and leaves no mark if not.
func (l *MarkLock) TryLock() bool { return l.word.CompareAndSwap(0, held) }

// Lock takes the lock, and blocks until it can. The holder must not call it.
func (l *MarkLock) Lock() {
	if !l.word.CompareAndSwap(0, held) {
		l.lock()
	}
}

func (l *MarkLock) lock() {
	l.queue.Lock()
	l.cell.Wait((*lockWait)(l), Options{Burst: lockSpin})
	l.queue.Unlock()
}

// LockOrMark takes the lock and returns true, or returns false after it has
// made sure that a holder's Unlock will return false. It does not wait for the holder.
func (l *MarkLock) LockOrMark() bool {
	at(l, "try")
	if l.TryLock() {
		return true
	}
	at(l, "mark")
	l.asked.Or(marked)
	// Most holders see the mark, or unlock, in less time than the kernel needs for a
	// fence. If the mark is gone, a holder has taken it, and looks for work
	// afterwards.
	for range markLooks {
		if l.asked.Load()&marked == 0 {
			return false
		}
		if l.word.Load() == 0 {
			break
		}
	}
	at(l, "try again")
	if !fence.Other(l.TryLock) {
		return false // taken by a holder that unlocks after the mark, and then looks
	}
	at(l, "take the mark")
	l.asked.And(^uint32(marked)) // before the caller looks for work, like any holder
	return true
}

// Unlock unlocks and returns true. If there is a mark, Unlock removes the mark and returns
// false: the caller then holds the lock, does the published work, and calls Unlock again.
func (l *MarkLock) Unlock() bool {
	fence.StoreThenLook(&l.word, 0)
	at(l, "unlock: look")
	return l.asked.Load() == 0 || l.answer()
}

// answer is the part of Unlock for goroutines that want the lock. The lock is free now, or has
// a new holder. A mark that this call leaves is seen by the new holder when it unlocks.
func (l *MarkLock) answer() bool {
	at(l, "unlock: asked")
	if l.asked.Load()&wanted != 0 {
		l.asked.And(^uint32(wanted))
		at(l, "unlock: wake")
		l.cell.Wake() // the sleeper sets wanted anew before it sleeps again
	}
	at(l, "unlock: marked?")
	if l.asked.Load()&marked == 0 {
		return true
	}
	at(l, "unlock: again")
	if !l.TryLock() {
		return true
	}
	at(l, "unlock: take the mark")
	l.asked.And(^uint32(marked))
	return false
}

// String returns the state, for tests that compare states.
func (l *MarkLock) String() string {
	return fmt.Sprintf("word %b, asked %b, %v", l.word.Load(), l.asked.Load(), &l.cell)
}

// lockWait is what a goroutine that sleeps in Lock waits for.
type lockWait MarkLock

// Look takes the lock if it is free. If it is not free after Arm, Unlock wakes the sleeper.
func (l *lockWait) Look() bool {
	return l.word.Load() == 0 && l.word.CompareAndSwap(0, held)
}

// Arm announces that a goroutine sleeps.
func (l *lockWait) Arm() {
	l.asked.Or(wanted)
	fence.Other(func() bool { return l.word.Load() == 0 })
}
