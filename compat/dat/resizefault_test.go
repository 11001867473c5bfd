package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestAResizeThatFailsChangesNothing: a dispatcher for which the adapter has no resources is as long as before.
func TestAResizeThatFailsChangesNothing(t *testing.T) {
	s := newSide(t, faulty, nil)
	length := func() dat.Count {
		var p dat.EVDParam
		ok(t, dat.EVDQuery(s.req, dat.EVDFieldAll, &p))
		return p.EVDQlen
	}
	former := length()
	faults.Set(rdmatest.ResizeCompletionQueue, rdma.ErrResources)
	defer faults.Clear()
	for _, n := range []dat.Count{former + 100, former - 10} {
		want(t, dat.EVDResize(s.req, n), dat.InsufficientResources, dat.ResourceTEVD)
		if now := length(); now != former {
			t.Fatalf("it has room for %d events, not %d", now, former)
		}
	}
}
