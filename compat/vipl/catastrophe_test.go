package vipl_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/compat/vipl"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestAFailedAdapter: the handler of its NIC hears of it, once, and a port that goes down is no error
// of VIPL.
func TestAFailedAdapter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rdmatest.NewWorld(t, 1)
		host := w.Host("catastrophe")
		names := rdma.Adapters()
		i := slices.IndexFunc(names, func(n string) bool { return strings.HasSuffix(n, "-catastrophe") })
		if i < 0 {
			t.Fatalf("the host has no adapter: %v", names)
		}
		s := newNIC(t, names[i])
		host.Async(rdma.AsyncPortDown)
		host.Async(rdma.AsyncAdapterFailed)
		if p := <-s.errors; p.code != vipl.ErrorCatastrophic || p.desc != (vipl.ErrorDescriptor{NicHandle: s.nic, ResourceCode: vipl.ResourceNIC, ErrorCode: vipl.ErrorCatastrophic}) {
			t.Fatalf("the handler got %v, %+v", p.code, p.desc)
		}
		w.Settle()
		if len(s.errors) > 0 {
			t.Fatalf("the handler got %v as well", (<-s.errors).code)
		}
		ok(t, vipl.CloseNic(s.nic))
	})
}
