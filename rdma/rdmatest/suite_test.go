package rdmatest_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/hcatest"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestWithoutFaults: the adapter is as the one below.
func TestWithoutFaults(t *testing.T) {
	remove, err := rdmatest.RegisterFaulty("test-none", "soft-loop", &rdmatest.Faults{})
	must(t, err)
	defer remove()
	hcatest.Run(t, hcatest.Harness{Open: func(t hcatest.TB, opt hca.Options) hca.Adapter {
		a, err := hca.Drivers()["test-none"].Open(ctx, "test-none", opt)
		if err != nil {
			t.Fatalf("%v", err)
		}
		return a
	}})
}
