package soft_test

import (
	"context"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/hcatest"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/race"
	"github.com/godapl/godapl/internal/tlstest"
)

// TestConformanceTLS runs the suite over TLS: on a socket, and on a program's streams.
func TestConformanceTLS(t *testing.T) {
	if race.Enabled {
		t.Skip("cryptography takes minutes under the race detector; the tests of package secure and of TLS in rdma run under it")
	}
	config := tlstest.NewAuthority().Config("peer.test")
	config.ServerName = "peer.test" // the suite connects to an address of this host
	for _, d := range []hca.Driver{soft.Driver("tcp"), soft.FabricDriver("fabric", plain{})} {
		name := d.Names()[0]
		t.Run(name, func(t *testing.T) {
			h := hcatest.Harness{
				Name: name + " with TLS",
				Open: func(t hcatest.TB, opt hca.Options) hca.Adapter {
					opt.TLS = config
					a, err := d.Open(context.Background(), name, opt)
					if err != nil {
						t.Fatalf("open: %v", err)
					}
					return a
				},
				LateCompletions: name == "fabric",
				// crypto/tls allocates for each record that it reads.
			}
			if name == "fabric" {
				h.ListenAddress = func(hca.Adapter) string { return "127.0.0.1:0" }
			}
			hcatest.Run(t, h)
		})
	}
}
