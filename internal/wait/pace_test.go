package wait_test

import (
	"testing"

	"github.com/godapl/godapl/internal/wait"
	"github.com/godapl/godapl/internal/wait/interleave"
)

// late finds something at look number after.
type late struct {
	counter
	after int
}

func (c *late) Look() bool { return c.counter.Look() || c.after > 0 && c.looks >= c.after }

// waits makes n waits that find nothing, and returns the number of looks.
func (c *late) waits(t *testing.T, cell *wait.Cell, n, burst int) int {
	t.Helper()
	done := make(chan struct{})
	close(done)
	before := c.looks
	for range n {
		if out := cell.Wait(c, wait.Options{Burst: burst, Done: done}); out != wait.Done {
			t.Fatalf("outcome %v, want Done", out)
		}
	}
	return c.looks - before
}

// The number of looks outside of the burst, in a wait that finds nothing.
const (
	around     = 3 // without a burst: before arming, after arming, and the last
	afterBurst = 2 // the burst replaces the first of these
)

func TestBurstsThatFindNothingBecomeRare(t *testing.T) {
	var cell wait.Cell
	var c late
	const burst, long, misses = 10, 40, 4
	const first = burst + (misses-1)*long + misses*afterBurst
	if n := c.waits(t, &cell, misses, burst); n != first {
		t.Fatalf("%d looks in the first waits, want %d", n, first)
	}
	for _, rest := range []int{16, 32, 64, 128, 256, 512, 1024, 1024} {
		if n := c.waits(t, &cell, rest, burst); n != rest*around {
			t.Fatalf("%d looks in %d waits without bursts, want %d", n, rest, rest*around)
		}
		if n := c.waits(t, &cell, 1, burst); n != long+afterBurst {
			t.Fatalf("%d looks in the wait after %d without bursts, want %d", n, rest, long+afterBurst)
		}
	}
	c.waits(t, &cell, 1024, burst)
	// Bursts that find something bring the bursts back.
	for i := range 16 {
		arms := c.arms
		c.after = c.looks + 5
		if out := cell.Wait(&c, wait.Options{Burst: burst}); out != wait.Ready || c.arms != arms {
			t.Fatalf("outcome %v of wait %d, armed %t", out, i, c.arms != arms)
		}
	}
	c.after = 0
	if n := c.waits(t, &cell, misses, burst); n != first {
		t.Fatalf("%d looks, want %d, with bursts", n, first)
	}
	if n := c.waits(t, &cell, 16, burst); n != 16*around {
		t.Fatalf("%d looks, want the first rest again", n)
	}
}

func TestBurstsStayIfMostFindSomething(t *testing.T) {
	var cell wait.Cell
	var c late
	const burst = 10
	for i := range 300 {
		c.after = 0
		looks, arms := c.looks, c.arms
		if i%3 > 0 {
			c.after = c.looks + 5
			if out := cell.Wait(&c, wait.Options{Burst: burst}); out != wait.Ready || c.arms != arms {
				t.Fatalf("outcome %v of wait %d, armed %t", out, i, c.arms != arms)
			}
		} else if n := c.waits(t, &cell, 1, burst); n != burst+afterBurst {
			t.Fatalf("%d looks in wait %d after %d", n, i, looks)
		}
	}
}

// TestSteadyBurstsStay: with several processors, steady waits always have their burst.
func TestSteadyBurstsStay(t *testing.T) {
	done := make(chan struct{})
	close(done)
	for _, one := range []bool{false, true} {
		restore := wait.SetOneCPU(one)
		var cell wait.Cell
		var c late
		for range 1000 {
			cell.Wait(&c, wait.Options{Burst: 10, Steady: true, Done: done})
		}
		if all := c.looks == 1000*(10+around); all == one {
			t.Errorf("one processor %t: %d looks in 1000 waits", one, c.looks)
		}
		restore()
	}
}

func TestCellsShareAPace(t *testing.T) {
	var pace wait.Pace
	var c late
	done := make(chan struct{})
	close(done)
	for range 4 {
		var cell wait.Cell
		cell.Wait(&c, wait.Options{Burst: 10, Pace: &pace, Done: done})
	}
	c.looks = 0
	var cell wait.Cell
	cell.Wait(&c, wait.Options{Burst: 10, Pace: &pace, Done: done})
	if c.looks != around {
		t.Fatalf("%d looks, want no burst", c.looks)
	}
}

func TestACallerThatHasLookedArmsAtOnce(t *testing.T) {
	var cell wait.Cell
	var c counter
	done := make(chan struct{})
	close(done)
	cell.Wait(&c, wait.Options{Looked: true, Done: done})
	if c.looks != 2 || c.arms != 1 { // behind the arming, and the last
		t.Fatalf("%d looks and %d arms", c.looks, c.arms)
	}
}

func TestNoWakeUpIsLostBehindTheCallersLook(t *testing.T) {
	mustWalk(t, 20, func(r *interleave.Run, s *scene) {
		r.Go("consumer", func() {
			for range 2 {
				r.Step("the caller's look")
				if s.Look() {
					s.outcomes = append(s.outcomes, wait.Ready)
				} else {
					s.consume(1, wait.Options{Looked: true})
				}
			}
		})
		r.Go("producer", func() { s.produce(); r.Step("publish"); s.produce() })
		r.Check(s.allTaken)
	})
}
