package rdmatest

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestRestWaitsForOtherGoroutines, and takes no step, also where the world never settles.
func TestRestWaitsForOtherGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWorld(t, 1)
		var again func()
		again = func() { w.add(&plan{what: dialled, do: again, quiet: true}, Now()) }
		w.mu.Lock()
		again()
		w.mu.Unlock()
		var done atomic.Bool
		go func() {
			for range 1000 {
				runtime.Gosched()
			}
			done.Store(true)
		}()
		w.rest()
		if !done.Load() {
			t.Error("a goroutine has not come to rest")
		}
		w.mu.Lock()
		w.plans = nil
		w.mu.Unlock()
	})
}
