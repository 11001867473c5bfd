package soft

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/fence"
)

// TestTheReceivingGateLosesNoMark has one side pass the gate once, as a poll does, while
// the other brings work and leaves a mark if it is shut. Nobody comes again behind them.
func TestTheReceivingGateLosesNoMark(t *testing.T) {
	if !fence.Begin() {
		t.Log("the kernel makes no fences here: who leaves the gate does")
	}
	const rounds = 50_000
	var g rxGate
	var brought, done, inside, begun, ended atomic.Int64
	clashes := 0
	work := func() {
		if inside.Add(1) != 1 {
			clashes++
		}
		done.Store(brought.Load())
		inside.Add(-1)
	}
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
			brought.Add(1)
			if g.enter() {
				for work(); g.leave(); work() {
				}
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
		if g.tryEnter() {
			for g.leave() {
				work()
			}
		}
		wait(&ended, r)
		if done.Load() != brought.Load() {
			lost++
			done.Store(brought.Load())
		}
	}
	if w := g.word.Load(); lost > 0 || clashes > 0 || w&gateHeld != 0 || g.marked.Load() != 0 {
		t.Fatalf("%d marks were lost, %d times two were inside, the word is %#x and the mark %d", lost, clashes, w, g.marked.Load())
	}
}
