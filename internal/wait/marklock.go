package wait

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/fence"
)

// MarkLock is a lock for work that several goroutines bring and any one of
// them can do. Who cannot have the lock at once need not wait: [MarkLock.LockOrMark]
// leaves a mark, and the holder finds it when it unlocks:
//
//	publish the work
//	if l.LockOrMark() {
//		do what is published
//		for !l.Unlock() {
//			do what is published
//		}
//	}
//
// It is safe to use LockOrMark where the caller itself may be the holder
// further up its stack. [MarkLock.Lock] blocks, and is not. The zero value is
// an open lock.
//
// The lock is one word and what others have left word of is another, so that letting go
// need not be an atomic exchange: see package fence. There is no moment between the
// holder's last look and its letting go, because it looks once more behind that.
type MarkLock struct {
	word  atomic.Uint64 // stored by the holder, and by who takes the lock
	asked atomic.Uint32 // stored by the others
	// queue orders those who block; the first of them sleeps in cell.
	queue sync.Mutex
	cell  Cell
}

// held is the word while somebody has the lock.
const held = 1

// The bits of asked.
const (
	marked = 1 << iota // the holder has work to do before it lets go
	wanted             // somebody sleeps in cell
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
	// Most holders see the mark, or are gone, before the kernel could be asked. A mark that
	// has gone was taken by a holder, who looks for work behind that.
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
		return false // by a holder who lets go behind the mark, and looks then
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

// answer is what Unlock does for the others. The lock is free by now, or somebody else's,
// who will see a mark that is left, as it was there before they let go.
func (l *MarkLock) answer() bool {
	at(l, "unlock: asked")
	if l.asked.Load()&wanted != 0 {
		l.asked.And(^uint32(wanted))
		at(l, "unlock: wake")
		l.cell.Wake() // who sleeps wants it anew before it sleeps again
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

// Arm leaves word that somebody sleeps.
func (l *lockWait) Arm() {
	l.asked.Or(wanted)
	fence.Other(func() bool { return l.word.Load() == 0 })
}
