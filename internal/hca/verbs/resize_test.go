package verbs

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// With solicited receives a completion queue is two of the device. If the device changes the first and not the
// second, neither is shorter than the depth that posts count on.
func TestResizeOfOneOfTwoQueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStepped(t, 8)
		for _, c := range []struct {
			depth int
			fails []ibv.Errno
			ok    bool
		}{
			{8, []ibv.Errno{0, ibv.ENOMEM}, true}, // one that is longer harms nobody
			{8, []ibv.Errno{ibv.ENOMEM}, false},
			{256, []ibv.Errno{0, ibv.ENOMEM}, false},
			{256, []ibv.Errno{ibv.ENOMEM}, false},
			{256, nil, true},
		} {
			q := got(s.ad.NewCQ(hca.CQConfig{Depth: 64}))(t).(*cq)
			got(q.forSolicited("test"))(t)
			s.w.FailResizes(c.fails...)
			err := q.Resize(c.depth)
			if (err == nil) != c.ok || err != nil && !errors.Is(err, hca.Resources) {
				t.Errorf("to %d, %v: %v", c.depth, c.fails, err)
			}
			if want := map[bool]int{true: c.depth, false: 64}[c.ok]; q.Depth() != want {
				t.Errorf("to %d, %v: the depth is %d, want %d", c.depth, c.fails, q.Depth(), want)
			}
			for _, h := range []ibv.CQ{q.h, q.solicited} {
				if h.CQE() < entriesFor(q.Depth()) {
					t.Errorf("to %d, %v: a queue of the device has %d entries for a depth of %d", c.depth, c.fails, h.CQE(), q.Depth())
				}
			}
			s.must(q.Close())
		}
	})
}
