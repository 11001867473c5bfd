package wait

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/fence"
)

// MarkLock is a lock for work that several goroutines bring and any of them can do. A
// goroutine that finds it locked need not wait: [MarkLock.LockOrMark] leaves a mark,
// which the holder finds when it unlocks:
//
//	publish the work
//	if l.LockOrMark() {
//		do what is published
//		for !l.Unlock() {
//			do what is published
//		}
//	}
//
// LockOrMark is safe where the caller itself may hold the lock further up its stack.
// [MarkLock.Lock] blocks, and is not. The zero value is an open lock.
//
// The lock and the mark are separate words, so that unlocking need not be an atomic
// exchange: see package fence. No mark is lost between the holder's last look and its
// unlock, because the holder looks again after it.
type MarkLock struct {
	word  atomic.Uint64 // stored by the holder, and by the goroutine that takes the lock
	asked atomic.Uint32 // stored by the others
	// queue orders the goroutines that block; the first of them sleeps in cell.
	queue sync.Mutex
	cell  Cell
}

// held is the word while the lock is taken.
const held = 1

// The bits of asked.
const (
	marked = 1 << iota // the holder has work to do before it lets go
	wanted             // a goroutine sleeps in cell
)

// lockSpin is how often Lock tries before it sleeps: holders are short.
const lockSpin = 32

// markLooks is how often LockOrMark looks, for some hundred nanoseconds, before it calls
// the kernel. It is changed by tests only.
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
	// Most holders see the mark, or unlock, before the kernel could be asked for a
	// fence. A mark that is gone was taken by a holder, which looks for work
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

// Unlock lets go and returns true. If there is a mark it takes the mark away
// and returns false: the caller has the lock, still or again, does the work, and calls
// Unlock again.
func (l *MarkLock) Unlock() bool {
	fence.StoreThenLook(&l.word, 0)
	at(l, "unlock: look")
	return l.asked.Load() == 0 || l.answer()
}

// answer is what Unlock does for the others. The lock is free by now, or another
// holder's, which will see a mark that is left: the mark was there before it unlocks.
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

// String tells the state, for tests that compare states.
func (l *MarkLock) String() string {
	return fmt.Sprintf("word %b, asked %b, %v", l.word.Load(), l.asked.Load(), &l.cell)
}

// lockWait is the lock as its sleeper sees it.
type lockWait MarkLock

// Look takes the lock if it is free. Behind Arm, if it is not, its holder's Unlock wakes.
func (l *lockWait) Look() bool {
	return l.word.Load() == 0 && l.word.CompareAndSwap(0, held)
}

// Arm announces that a goroutine sleeps.
func (l *lockWait) Arm() {
	l.asked.Or(wanted)
	fence.Other(func() bool { return l.word.Load() == 0 })
}
