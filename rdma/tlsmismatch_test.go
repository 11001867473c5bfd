package rdma_test

import (
	"crypto/tls"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/tlstest"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestTLSOnOneSide: both sides are told within a second, over a network with a round trip of a tenth of one. The time is
// the bubble's, which passes only while everybody waits: for the network, or for an answer that does not come.
func TestTLSOnOneSide(t *testing.T) {
	for name, x := range map[string]struct {
		listens, dials bool
		dialer, log    string
	}{
		"the dialer has none":   {true, false, "TLS: the listener requires it", "TLS: the peer does not use TLS"},
		"the listener has none": {false, true, "TLS: the listener does not use TLS", "TLS: the peer uses TLS, and this listener does not"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				config := func(is bool) *tls.Config {
					if is {
						return tlstest.NewAuthority().Config("peer.test")
					}
					return nil
				}
				w := rdmatest.NewWorld(t, 1)
				here, there := w.Host("here"), w.Host("there")
				w.Link(here, there).Latency(50 * time.Millisecond)
				log := &operatorLog{wrote: make(chan struct{}, 1)}
				server, err := there.Open(w.Context(), rdma.OpenConfig{TLS: config(x.listens), Log: slog.New(slog.NewTextHandler(log, nil))})
				must(t, err)
				client, err := here.Open(w.Context(), rdma.OpenConfig{TLS: config(x.dials)})
				must(t, err)
				_, err = server.Listen(w.Context(), "there:7471", rdma.ListenConfig{})
				must(t, err)
				zone, err := client.NewZone()
				must(t, err)
				begun := time.Now()
				_, err = client.Dial(w.Context(), "there:7471", rdma.EndpointConfig{Zone: zone})
				wantCode(t, err, rdma.ErrRefused, "dial")
				if err == nil || !strings.Contains(err.Error(), x.dialer) {
					t.Errorf("%v: want %q", err, x.dialer)
				}
				log.await(t, x.log)
				if d := time.Since(begun); d < 100*time.Millisecond || d >= time.Second {
					t.Errorf("both sides know after %v", d)
				}
			})
		})
	}
}
