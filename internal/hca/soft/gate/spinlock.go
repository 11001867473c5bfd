package gate

import (
	"runtime"
	"sync/atomic"

	"github.com/godapl/godapl/internal/fence"
	"github.com/godapl/godapl/internal/shm"
)

// A SpinLock is a lock for a few instructions. A mutex unlocks with an atomic operation, because goroutines may
// sleep on it. Nobody sleeps on a SpinLock, so an ordinary store unlocks it where the processor keeps stores in
// order. Unlock is no full barrier.
type SpinLock struct{ word atomic.Uint64 }

// latchLooks is how often a goroutine tries the lock before it yields: the holder may have lost its processor.
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

// UnlockFenced is Unlock with a full barrier, for a caller that then checks whether a consumer sleeps that may
// not have seen the stores made under the lock.
func (l *SpinLock) UnlockFenced() { l.word.Store(0) }

// StoreRelease stores v. A goroutine that sees v also sees everything that was stored before.
func StoreRelease(p *atomic.Uint64, v uint64) { fence.StoreRelease(p, v) }
