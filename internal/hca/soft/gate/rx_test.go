package gate

import (
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/fence"
	"github.com/godapl/godapl/internal/fence/fencetest"
)

// TestTheReceivingGateLosesNoMark: one goroutine passes the gate once, as a poll does, while the other brings
// work, and leaves a mark if the gate is shut. Nobody enters after them.
func TestTheReceivingGateLosesNoMark(t *testing.T) {
	if !fence.Begin() {
		t.Log("the kernel makes no fences here: who leaves the gate does")
	}
	var g Recv
	var brought, done, inside atomic.Int64
	clashes := 0
	work := func() {
		if inside.Add(1) != 1 {
			clashes++
		}
		done.Store(brought.Load())
		inside.Add(-1)
	}
	lost := 0
	fencetest.Together(200_000, func(uint64) {
		if g.TryEnter() {
			for g.Slip() {
				work()
			}
		}
	}, func(uint64) {
		brought.Add(1)
		if g.Enter() {
			for work(); g.Leave(); work() {
			}
		}
	}, func(uint64) {
		if done.Load() != brought.Load() {
			lost++
			done.Store(brought.Load())
		}
	})
	if w := g.Word.Load(); lost > 0 || clashes > 0 || w&HeldBit != 0 || g.marked.Load() != 0 {
		t.Fatalf("%d marks were lost, %d times two were inside, the word is %#x and the mark %d", lost, clashes, w, g.marked.Load())
	}
}

// TestWhoLeavesTheReceivingGateSeesWhoSleeps: one goroutine makes an entry inside, and checks after the gate
// whether a consumer must be woken for it; the other goes to sleep, and then checks once more for entries.
func TestWhoLeavesTheReceivingGateSeesWhoSleeps(t *testing.T) {
	fence.Begin()
	var g Recv
	var entries, asleep atomic.Uint64
	var wakes, finds bool
	missed := 0
	fencetest.Together(200_000, func(r uint64) {
		g.TryEnter()
		StoreRelease(&entries, r)
		g.Leave()
		wakes = asleep.Load() == r
	}, func(r uint64) {
		asleep.Store(r)
		finds = entries.Load() == r
	}, func(uint64) {
		if !wakes && !finds {
			missed++
		}
	})
	if missed > 0 {
		t.Fatalf("%d sleepers were not woken", missed)
	}
}
