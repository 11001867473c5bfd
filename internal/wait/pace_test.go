package wait_test

import (
	"testing"

	"github.com/godapl/godapl/internal/wait"
	"github.com/godapl/godapl/internal/wait/interleave"
)

// late finds nothing before its look number after.
type late struct {
	counter
	after int
}

func (c *late) Look() bool { return c.counter.Look() || c.after > 0 && c.looks >= c.after }

// waits counts the looks of so many waits that find nothing.
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

const around = 3 // looks beside the burst: before and after arming, and the last

func TestBurstsThatFindNothingBecomeRareOnOneProcessor(t *testing.T) {
	defer wait.SetOneCPU(true)()
	var cell wait.Cell
	var c late
	const burst, row = 10, 64
	for _, rest := range []int{64, 128, 256, 512} {
		if n := c.waits(t, &cell, row, burst); n != row*(burst+around) {
			t.Fatalf("%d looks in a row of bursts, want %d", n, row*(burst+around))
		}
		if n := c.waits(t, &cell, rest, burst); n != rest*around {
			t.Fatalf("%d looks in %d waits without bursts, want %d", n, rest, rest*around)
		}
	}
	// A row that finds something brings the bursts back.
	for range 2 * row {
		c.after = c.looks + 5
		if out := cell.Wait(&c, wait.Options{Burst: burst}); out != wait.Ready || c.arms != 64*4+64+128+256+512 {
			t.Fatalf("outcome %v, %d arms", out, c.arms)
		}
	}
	c.after = 0
	if n := c.waits(t, &cell, row, burst); n != row*(burst+around) {
		t.Fatalf("%d looks, want bursts", n)
	}
	if n := c.waits(t, &cell, 64, burst); n != 64*around {
		t.Fatalf("%d looks, want the first rest again", n)
	}
}

func TestBurstsStayOnSeveralProcessors(t *testing.T) {
	defer wait.SetOneCPU(false)()
	var cell wait.Cell
	var c late
	if n := c.waits(t, &cell, 1000, 10); n != 1000*(10+around) {
		t.Fatalf("%d looks", n)
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
