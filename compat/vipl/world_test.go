package vipl_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/compat/vipl"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// adapterOf is the adapter of a simulated host.
func adapterOf(t *testing.T, h *rdmatest.Host) string {
	t.Helper()
	names := rdma.Adapters()
	i := slices.IndexFunc(names, func(n string) bool { return strings.HasSuffix(n, "-"+h.Name()) })
	if i < 0 {
		t.Fatalf("%s has no adapter: %v", h.Name(), names)
	}
	return names[i]
}

// apart is two sides on two simulated hosts, whose names are IP addresses, as VIPL needs them.
func apart(t *testing.T, change ...func(*vipl.VIAttributes)) (w *rdmatest.World, link *rdmatest.Link, a, b *side) {
	t.Helper()
	w = rdmatest.NewWorld(t, 1)
	x, y := w.Host("127.0.0.1"), w.Host("127.0.0.2")
	return w, w.Link(x, y), newSide(t, adapterOf(t, x), change...), newSide(t, adapterOf(t, y), change...)
}

// TestAFailedAdapter: the handler of its NIC hears of it, once, and a port that goes down is no error
// of VIPL.
func TestAFailedAdapter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rdmatest.NewWorld(t, 1)
		host := w.Host("failing")
		s := newNIC(t, adapterOf(t, host))
		host.Async(rdma.AsyncPortDown)
		host.Async(rdma.AsyncAdapterFailed)
		if p := <-s.errors; p.desc != (vipl.ErrorDescriptor{NicHandle: s.nic, ResourceCode: vipl.ResourceNIC, ErrorCode: vipl.ErrorCatastrophic}) {
			t.Fatalf("the handler got %+v", p.desc)
		}
		w.Settle()
		if len(s.errors) > 0 {
			t.Fatalf("the handler got %v as well", (<-s.errors).code)
		}
		ok(t, vipl.CloseNic(s.nic))
	})
}

// TestDisconnectEndsAnAccept which waits for a peer that does not continue.
func TestDisconnectEndsAnAccept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, link, a, b := apart(t)
		at := a.address()
		asks := make(chan vipl.Return, 1)
		go func() {
			asks <- retry(a, func() vipl.Return { return vipl.ConnectRequest(b.vi, b.address(), at, second, nil) })
		}()
		var conn vipl.ConnHandle
		ok(t, vipl.ConnectWait(a.nic, at, second, nil, nil, &conn))
		link.Partition(rdmatest.Now())
		accepts := make(chan vipl.Return, 1)
		go func() { accepts <- vipl.ConnectAccept(conn, a.vi) }()
		w.Settle()
		if a.state() != vipl.StateConnectPending {
			t.Fatal(a.state())
		}
		ok(t, vipl.Disconnect(a.vi))
		want(t, <-accepts, vipl.InvalidState)
		if a.state() != vipl.StateIdle {
			t.Fatal(a.state())
		}
		want(t, vipl.ConnectReject(conn), vipl.InvalidParameter)
		link.Heal(rdmatest.Now())
		ok(t, <-asks) // the answer was under way
		b.hears(vipl.ErrorConnLost)
	})
}

// TestReceptionOverADistance: a write over a network that takes its time is complete at the level of
// reception when it is there.
func TestReceptionOverADistance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, link, a, b := apart(t, func(v *vipl.VIAttributes) { v.ReliabilityLevel = vipl.ServiceReliableReception })
		link.Latency(time.Millisecond)
		connect(a, b)
		reception(t, a, b, 3)
	})
}
