package wait

import (
	"fmt"
	"sync"
	"sync/atomic"
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
// an open lock. Lock and mark are bits of one word, so there is no moment
// between the holder's last look and its letting go. Taking and leaving it
// uncontended costs what a sync.Mutex costs.
type MarkLock struct {
	word atomic.Uint32
	// queue orders those who block; the first of them sleeps in cell.
	queue sync.Mutex
	cell  Cell
}

const (
	held   = 1 << iota // somebody has the lock
	marked             // the holder has work to do before it lets go
	wanted             // somebody sleeps in cell
)

// lockSpin is how often Lock tries before it sleeps: holders are short.
const lockSpin = 32

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
// made sure that the holder's Unlock will return false. It never blocks.
func (l *MarkLock) LockOrMark() bool {
	for {
		at(l, "mark")
		v := l.word.Load()
		switch {
		case v == 0:
			if l.word.CompareAndSwap(0, held) {
				return true
			}
		case v&marked != 0:
			// The holder clears the mark before it looks for work, so it has
			// not looked yet. A swap, and not the load above, makes sure that
			// the mark is still there.
			if l.word.CompareAndSwap(v, v) {
				return false
			}
		default:
			if l.word.CompareAndSwap(v, v|marked) {
				return false
			}
		}
	}
}

// Unlock lets go and returns true. If there is a mark it takes the mark away
// and returns false: the caller still has the lock, does the work, and calls
// Unlock again.
func (l *MarkLock) Unlock() bool {
	return l.word.CompareAndSwap(held, 0) || l.unlock()
}

func (l *MarkLock) unlock() bool {
	for {
		at(l, "unlock")
		v := l.word.Load()
		if v&marked != 0 {
			if l.word.CompareAndSwap(v, v&^marked) {
				return false
			}
		} else if l.word.CompareAndSwap(v, 0) {
			if v&wanted != 0 {
				at(l, "unlock: wake")
				l.cell.Wake()
			}
			return true
		}
	}
}

// String tells the state, for tests that compare states.
func (l *MarkLock) String() string {
	return fmt.Sprintf("word %b, %v", l.word.Load(), &l.cell)
}

// lockWait is the lock as its sleeper sees it.
type lockWait MarkLock

// Look takes the lock, or makes the holder's Unlock take the slow way, which
// wakes. It must be one or the other: a lock that is free when the sleeper
// arms may be taken by somebody else before it looks again.
func (l *lockWait) Look() bool {
	for {
		switch v := l.word.Load(); {
		case v == 0:
			if l.word.CompareAndSwap(0, held) {
				return true
			}
		case v&wanted != 0 || l.word.CompareAndSwap(v, v|wanted):
			return false
		}
	}
}

// Arm has nothing to do.
func (l *lockWait) Arm() {}
