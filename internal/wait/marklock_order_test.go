package wait_test

import (
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/fence"
	"github.com/godapl/godapl/internal/fence/fencetest"
	"github.com/godapl/godapl/internal/wait"
)

// TestNoMarkIsLostBetweenProcessors covers what the walk cannot: a processor may execute a
// load before an earlier store. The holder unlocks once and does not lock again.
func TestNoMarkIsLostBetweenProcessors(t *testing.T) {
	if !fence.Begin() {
		t.Log("the kernel makes no fences here: the holder does")
	}
	defer wait.SetMarkLooks(0)() // the looks would hide most lost marks
	var l wait.MarkLock
	var asked, done atomic.Int64
	work := func() { done.Store(asked.Load()) }
	finish := func() {
		for !l.Unlock() {
			work()
		}
	}
	lost := 0
	fencetest.Together(200_000, func(uint64) {
		if l.TryLock() {
			finish()
		}
	}, func(uint64) {
		asked.Add(1)
		if l.LockOrMark() {
			work()
			finish()
		}
	}, func(uint64) {
		if done.Load() != asked.Load() {
			lost++
			done.Store(asked.Load())
		}
	})
	if lost > 0 {
		t.Fatalf("%d marks were lost", lost)
	}
}
