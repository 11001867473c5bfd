package gate

import (
	"runtime"
	"sync/atomic"

	"github.com/godapl/godapl/internal/fence"
	"github.com/godapl/godapl/internal/shm"
)

// A SpinLock is a lock for a few instructions. A mutex lets go with an atomic
// operation, for those who may sleep on it: here nobody does, so an ordinary store
// is enough where the processor keeps stores in order. It is no full barrier.
type SpinLock struct{ word atomic.Uint64 }

// latchLooks is how often one looks before others may run: the holder, if it lost
// the processor.
const latchLooks = 64

func (l *SpinLock) Lock() {
	for i := 1; !l.word.CompareAndSwap(0, 1); i++ {
		if i%latchLooks == 0 {
			runtime.Gosched()
		} else {
			shm.Pause()
		}
	}
}

func (l *SpinLock) Unlock() { StoreRelease(&l.word, 0) }

// UnlockFenced is unlock with a full barrier: for who loads next whether somebody sleeps
// that may not have seen what was stored under the lock.
func (l *SpinLock) UnlockFenced() { l.word.Store(0) }

// StoreRelease stores v so that whoever sees it also sees everything that was
// stored before.
func StoreRelease(p *atomic.Uint64, v uint64) { fence.StoreRelease(p, v) }
