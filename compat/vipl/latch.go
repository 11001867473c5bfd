package vipl

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/fence"
)

// latch is the lock of a work queue. A post holds it for some tens of nanoseconds. A
// sync.Mutex would add a third to that, since its Unlock is an atomic exchange; this one's is an
// ordinary store, which cannot wake a goroutine that waits. So that one yields its processor
// until the latch is open.
//
// The beginning and the end of a connection may take long, and hold the latch by LockLong.
// Goroutines that wait meanwhile sleep. The zero value is open.
type latch struct {
	word atomic.Uint64
	long sync.Mutex // before word
}

// latchYields is how often a goroutine yields before it goes behind a holder by LockLong.
const latchYields = 16

func (l *latch) Lock() {
	if !l.word.CompareAndSwap(0, 1) {
		l.wait()
	}
}

func (l *latch) wait() {
	for range latchYields {
		if l.try() {
			return
		}
		runtime.Gosched()
	}
	l.LockLong()
	l.long.Unlock()
}

func (l *latch) try() bool { return l.word.Load() == 0 && l.word.CompareAndSwap(0, 1) }

// Unlock publishes what the holder has written.
func (l *latch) Unlock() { fence.StoreRelease(&l.word, 0) }

func (l *latch) LockLong() {
	l.long.Lock()
	for !l.try() {
		runtime.Gosched()
	}
}

func (l *latch) UnlockLong() {
	l.Unlock()
	l.long.Unlock()
}
