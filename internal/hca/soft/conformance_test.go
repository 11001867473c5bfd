package soft_test

import (
	"context"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/hcatest"
	"github.com/godapl/godapl/internal/hca/soft"
)

func TestConformance(t *testing.T) {
	for _, path := range []string{"loop", "tcp", ""} {
		d := soft.Driver(path)
		name := d.Names()[0]
		t.Run(name, func(t *testing.T) {
			hcatest.Run(t, hcatest.Harness{
				Name: name,
				Open: func(t hcatest.TB, opt hca.Options) hca.Adapter {
					a, err := d.Open(context.Background(), name, opt)
					if err != nil {
						t.Fatalf("open: %v", err)
					}
					return a
				},
				NoAllocations: true,
			})
		})
	}
}
