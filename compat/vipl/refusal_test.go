package vipl_test

import (
	"testing"

	"github.com/godapl/godapl/compat/vipl"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestAPeerHearsOfAFailedAccept: one of two peers has no room for the connection. The other one hears that at once.
func TestAPeerHearsOfAFailedAccept(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		b := newSide(t, name)
		a, faults := failing(t, name)
		one, two := b.address(), a.address() // the greater address waits
		faults.Set(rdmatest.ConnectEndpoint, rdma.ErrResources)
		ok(t, vipl.ConnectPeerRequest(a.vi, two, one, second))
		ok(t, vipl.ConnectPeerRequest(b.vi, one, two, second))
		want(t, vipl.ConnectPeerWait(a.vi, nil), vipl.ErrorResource)
		want(t, vipl.ConnectPeerWait(b.vi, nil), vipl.Reject)
		for _, s := range []*side{a, b} {
			if st := s.state(); st != vipl.StateIdle {
				t.Error(st)
			}
		}
	})
}

// TestARequestHearsWhatDidNotFit if the program that waited has found no other VI for it.
func TestARequestHearsWhatDidNotFit(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		level := vipl.ServiceReliableReception
		for wanted, change := range map[vipl.Return]func(*vipl.VIAttributes){
			vipl.InvalidMTU:              func(v *vipl.VIAttributes) { v.MaxTransferSize-- },
			vipl.InvalidReliabilityLevel: func(v *vipl.VIAttributes) { v.ReliabilityLevel = level },
		} {
			if wanted == vipl.InvalidReliabilityLevel && !offers(t, name, level) {
				continue
			}
			a, b := newSide(t, name, change), newSide(t, name)
			at := a.address()
			asks := make(chan vipl.Return, 1)
			go func() {
				asks <- retry(a, func() vipl.Return { return vipl.ConnectRequest(b.vi, b.address(), at, second, nil) })
			}()
			var conn vipl.ConnHandle
			ok(t, vipl.ConnectWait(a.nic, at, second, nil, nil, &conn))
			want(t, vipl.ConnectAccept(conn, a.vi), wanted)
			ok(t, vipl.ConnectReject(conn))
			want(t, <-asks, wanted)
		}
	})
}
