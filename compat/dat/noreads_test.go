package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestAConnectionWithoutReads: a read on a connection of which one side allows none lacks credits. The page of
// dat_ep_post_rdma_read has no MODEL_NOT_SUPPORTED.
func TestAConnectionWithoutReads(t *testing.T) {
	softOnly(t, "it may always have reads")
	for name, none := range map[string]func(passive, active *dat.EPAttr){
		"in":  func(passive, _ *dat.EPAttr) { passive.MaxRDMAReadIn = 0 },
		"out": func(_, active *dat.EPAttr) { active.MaxRDMAReadOut = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			passive, active := newSide(t, usual, nil), newSide(t, usual, nil)
			p, a := dat.EPParam{EPAttr: passive.attr()}, dat.EPParam{EPAttr: active.attr()}
			none(&p.EPAttr, &a.EPAttr)
			ok(t, dat.EPModify(passive.ep, dat.EPFieldEPAttrMaxRDMAReadIn, &p))
			ok(t, dat.EPModify(active.ep, dat.EPFieldEPAttrMaxRDMAReadOut, &a))
			connect(passive, active, usual)
			for _, n := range []dat.Count{1, 2} { // both ways of a post
				iov := append(active.mem.iov(0, 8), active.mem.iov(8, 8)...)[:n]
				want(t, dat.EPPostRDMARead(active.ep, n, iov, num(1), passive.mem.remote(0, 8), 0), dat.InsufficientResources, dat.ResourceCredits)
			}
			empty(t, active.req)
		})
	}
}
