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
