package sharedmem

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// TestOwnEndBeforeARefusal: a side that ends its connection, and learns only then that the peer has refused a request, ends
// in order, with its requests flushed.
func TestOwnEndBeforeARefusal(t *testing.T) {
	m := newMachine(t, 1)
	defer m.close()
	a, b := m.ends[0], m.ends[1]
	m.must(a.q.PostSend(hca.SendWR{ID: 1, Op: hca.OpWrite, RKey: 0x1234, Remote: 1, Local: a.segment(machineOut, 8)}))
	for b.q.State.Load() != core.StateOver {
		if all := b.steps(); len(all) > 1 { // the first is its program's
			all[len(all)-1]()
		} else {
			b.c.Arm()
		}
	}
	m.must(a.q.Disconnect(false))
	m.settle()
	if !a.orderly {
		t.Fatal("its own end is not in order")
	}
	wcs := make([]hca.WC, 8)
	for _, wc := range wcs[:a.cq.Poll(wcs)] {
		if wc.Op == hca.OpWrite && wc.Status == hca.StatusFlushed {
			return
		}
	}
	t.Fatal("the request did not end flushed")
}
