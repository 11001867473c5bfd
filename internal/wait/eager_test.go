package wait_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/wait"
)

const (
	eagerBurst = 10
	eagerMore  = 100
)

// eagerly waits n times, in vain, and returns the number of looks.
func (c *late) eagerly(t *testing.T, cell *wait.Cell, n int) int {
	t.Helper()
	done := make(chan struct{})
	close(done)
	before := c.looks
	for range n {
		if out := cell.Wait(c, wait.Options{Burst: eagerBurst, Steady: true, Eager: eagerMore, Done: done}); out != wait.Done {
			t.Fatalf("outcome %v, want Done", out)
		}
	}
	return c.looks - before
}

// TestEagerLooksFollowTheBurst of a steady wait, and become rare when they find nothing. The burst stays.
func TestEagerLooksFollowTheBurst(t *testing.T) {
	defer wait.SetOneCPU(false)()
	var cell wait.Cell
	var c late
	const misses, plain = 4, eagerBurst + around
	if n := c.eagerly(t, &cell, misses); n != misses*(plain+eagerMore) {
		t.Fatalf("%d looks in the first waits, want %d", n, misses*(plain+eagerMore))
	}
	if n := c.eagerly(t, &cell, 16); n != 16*plain {
		t.Fatalf("%d looks in waits without, want %d", n, 16*plain)
	}
	arms := c.arms
	c.after = c.looks + eagerBurst + 50
	if out := cell.Wait(&c, wait.Options{Burst: eagerBurst, Steady: true, Eager: eagerMore}); out != wait.Ready || c.arms != arms || c.looks != c.after {
		t.Fatalf("outcome %v after %d looks, armed %d times", out, c.looks, c.arms-arms)
	}
}

// TestEagerLooksThatTakeLongDoNotPay, whatever they find: somebody else had the processor.
func TestEagerLooksThatTakeLongDoNotPay(t *testing.T) {
	defer wait.SetOneCPU(false)()
	for _, c := range []struct {
		takes time.Duration
		rests bool
	}{{time.Millisecond, true}, {time.Microsecond, false}} {
		synctest.Test(t, func(t *testing.T) {
			var cell wait.Cell
			var w slow
			w.takes = c.takes
			for range 4 {
				w.after = w.looks + eagerBurst + 2
				if out := cell.Wait(&w, wait.Options{Burst: eagerBurst, Steady: true, Eager: eagerMore}); out != wait.Ready {
					t.Fatalf("outcome %v", out)
				}
			}
			w.after = 0
			if n, plain := w.eagerly(t, &cell, 1), eagerBurst+around; (n == plain) != c.rests {
				t.Errorf("%d looks when those before took %v each", n, c.takes)
			}
		})
	}
}

// slow takes its time for each look that may find something.
type slow struct {
	late
	takes time.Duration
}

func (c *slow) Look() bool {
	if c.after > 0 && c.looks >= eagerBurst {
		<-time.After(c.takes)
	}
	return c.late.Look()
}
