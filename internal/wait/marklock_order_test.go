package wait_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/fence"
	"github.com/godapl/godapl/internal/wait"
)

// TestNoMarkIsLostBetweenProcessors is what the walk cannot do: processors that load before
// an earlier store. The holder lets go once and does not come again.
func TestNoMarkIsLostBetweenProcessors(t *testing.T) {
	if !fence.Begin() {
		t.Log("the kernel makes no fences here: the holder does")
	}
	defer wait.SetMarkLooks(0)() // they would hide it, mostly
	var l wait.MarkLock
	var asked, done atomic.Int64
	work := func() { done.Store(asked.Load()) }
	finish := func() {
		for !l.Unlock() {
			work()
		}
	}
	const rounds = 200_000
	var begun, ended atomic.Int64
	wait := func(word *atomic.Int64, n int64) {
		for i := 1; word.Load() < n; i++ {
			if i%1024 == 0 {
				runtime.Gosched()
			}
		}
	}
	go func() {
		for r := int64(1); r <= rounds; r++ {
			wait(&begun, r)
			asked.Add(1)
			if l.LockOrMark() {
				work()
				finish()
			}
			ended.Store(r)
		}
	}()
	lost := 0
	for r := int64(1); r <= rounds; r++ {
		begun.Store(r)
		for i := int64(0); i < r*7%1024; i++ {
			begun.Load() // the other one has some way to go
		}
		if l.TryLock() {
			finish()
		}
		wait(&ended, r)
		if done.Load() != asked.Load() {
			lost++
			done.Store(asked.Load())
		}
	}
	if lost > 0 {
		t.Fatalf("%d marks were lost", lost)
	}
}
