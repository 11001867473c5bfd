package fakeibv_test

import (
	"context"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/hcatest"
	"github.com/godapl/godapl/internal/hca/verbs"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
)

// TestSuite runs the contract's suite on a simulated device.
func TestSuite(t *testing.T) {
	w := fakeibv.New(fakeibv.Config{Seed: 1})
	defer w.Close()
	d := verbs.Simulated(w.Lib(), w.Names(), w.Addrs())
	t.Run("suite", func(t *testing.T) {
		hcatest.Run(t, hcatest.Harness{
			Name: "fake0",
			Open: func(t hcatest.TB, opt hca.Options) hca.Adapter {
				a, err := d.Open(context.Background(), "fake0", opt)
				if err != nil {
					t.Fatalf("open: %v", err)
				}
				return a
			},
			LocalReadAlways: true, LateCompletions: true, UnorderedBytes: true, NoAdoption: true, NoListenWait: true,
			UnreachableAddress: "192.0.2.177:7471",
			Patience:           20 * time.Second,
		})
	})
	if f := w.Faults(); len(f) > 0 {
		t.Errorf("wrong calls: %q", f)
	}
	if l := w.Left(); len(l) > 0 {
		t.Errorf("left: %q", l)
	}
}
