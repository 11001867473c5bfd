package interleave

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
)

// Sample is Walk for scenarios with too many orders: it makes n runs, each in a random order
// whose seed is the number of the run. In half of the runs, the goroutine of the last step is
// usually chosen again, so that each goroutine makes many steps while the others are stopped.
func Sample(t *testing.T, n int, build func(*Run)) (rep Report) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		for i := range n {
			r := new(Run)
			build(r)
			rep.Runs++
			rep.Err = r.draw(rand.New(rand.NewPCG(uint64(i), 0)), i%2 == 0)
			if r.finally != nil {
				r.finally()
			}
			if rep.Err != nil {
				return
			}
		}
	})
	return rep
}

// draw makes one run in a random order.
func (r *Run) draw(chance *rand.Rand, far bool) error {
	all := r.start()
	for last := -1; ; {
		synctest.Wait()
		ready := r.ready()
		if len(ready) == 0 {
			return r.ended(all)
		}
		next := ready[chance.IntN(len(ready))]
		if far && chance.IntN(8) != 0 {
			for _, i := range ready {
				if i == last {
					next = i
				}
			}
		}
		last = next
		r.let(next)
	}
}
