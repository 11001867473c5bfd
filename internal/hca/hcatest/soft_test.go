package hcatest_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/hcatest"
	"github.com/godapl/godapl/internal/hca/soft"
)

// open gives the harness's Open for a path of the software adapter.
func open(path string) func(t hcatest.TB, opt hca.Options) hca.Adapter {
	return func(t hcatest.TB, opt hca.Options) hca.Adapter {
		d := soft.Driver(path)
		a, err := d.Open(context.Background(), d.Names()[0], opt)
		if err != nil {
			t.Fatalf("open: %v", err)
		}
		return a
	}
}

// TestSuite runs the suite itself. SOFT_PATH picks another path than loop
// ("any" leaves the choice to the adapter), PATIENCE another bound for waits.
func TestSuite(t *testing.T) {
	path := os.Getenv("SOFT_PATH")
	switch path {
	case "":
		path = "loop"
	case "any":
		path = ""
	}
	patience, _ := time.ParseDuration(os.Getenv("PATIENCE"))
	hcatest.Run(t, hcatest.Harness{
		Name: "soft-" + path, Open: open(path), NoAllocations: path == "loop", Patience: patience,
	})
}
