package vipl

import (
	"runtime"
	"sync"
	"testing"
)

// TestLatchExcludes also while some hold it long.
func TestLatchExcludes(t *testing.T) {
	var l latch
	var group sync.WaitGroup
	inside, rounds := 0, 0
	for i := range 4 {
		group.Go(func() {
			lock, unlock := l.Lock, l.Unlock
			if i < 2 {
				lock, unlock = l.LockLong, l.UnlockLong
			}
			for range 500 {
				lock()
				if inside++; inside != 1 {
					t.Error("two goroutines hold it")
				}
				if rounds++; i == 0 && rounds%50 == 0 {
					for range 3 * latchYields { // the others go behind
						runtime.Gosched()
					}
				}
				inside--
				unlock()
			}
		})
	}
	group.Wait()
	if rounds != 4*500 {
		t.Fatalf("%d rounds", rounds)
	}
}
