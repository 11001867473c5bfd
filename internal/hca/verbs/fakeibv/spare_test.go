package fakeibv_test

import (
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// A completion queue that is as deep as its send queues together does not overflow when all their
// requests fail at once: those of the adapter that report suppressed ones, too.
func TestManyQueuePairsFailAtOnce(t *testing.T) {
	const pairs, depth = 40, 8
	for seed := range uint64(5) {
		synctest.Test(t, func(t *testing.T) {
			overflowed := 0
			r := newRig(t, fakeibv.Config{Seed: seed, Stepped: true}, hca.Options{Async: func(ev hca.AsyncEvent) {
				if ev.Kind == hca.AsyncCQOverflow {
					overflowed++
				}
			}})
			cq := made(r.a.NewCQ(hca.CQConfig{Depth: pairs * depth}))(r)
			var all []*end
			for range pairs {
				x, y := r.newEnd(func(c *hca.QPConfig) { c.SendCQ, c.RecvCQ, c.SendDepth, c.RecvDepth = cq, cq, depth, 0 }), r.newEnd(nil)
				r.connect(x, y)
				all = append(all, x)
			}
			write := func(x *end, flags hca.Flags) {
				r.must(x.qp.PostSend(hca.SendWR{Op: hca.OpWrite, Flags: flags})) // of no bytes
			}
			for _, x := range all {
				write(x, hca.Suppress)
			}
			r.steps()
			for _, x := range all {
				write(x, hca.Suppress)
			}
			for _, x := range all {
				x.qp.Outstanding() // takes the first completion; what reports the second one is posted
				for x.qp.PostSend(hca.SendWR{Op: hca.OpWrite}) == nil {
				}
			}
			r.w.Raise(0, ibv.EventDeviceFatal)
			for r.w.Step() { // faster than the adapter takes completions
			}
			r.steps()
			synctest.Wait()
			if overflowed > 0 {
				t.Errorf("seed %d: the queue has overflowed", seed)
			}
		})
	}
}
