package core

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/gate"
)

// TestEachEntryIsCountedOnce: whoever reads the counters while the consumer goes on to another ring does not count the
// entries of the former one twice.
func TestEachEntryIsCountedOnce(t *testing.T) {
	const rounds = 200_000
	q, _ := oneQP(t)
	c := q.SendCQ
	var made atomic.Uint64
	var wg sync.WaitGroup
	wg.Go(func() {
		for last := uint64(0); last < rounds; {
			s := c.ReadStats(nil)
			if most := made.Load(); s.Taken > most || s.Taken < last {
				t.Errorf("%d entries are taken, of %d; they were %d", s.Taken, most, last)
				return
			}
			last = s.Taken
		}
	})
	var wcs [2]hca.WC
	var back gate.Tally
	for range rounds {
		if err := c.Resize(1); err != nil {
			t.Fatal(err)
		}
		made.Add(1)
		e, locked := c.begin()
		e.back = &back
		c.commit(locked)
		if c.Poll(wcs[:]) != 1 {
			t.Fatal("no entry")
		}
	}
	wg.Wait()
}
