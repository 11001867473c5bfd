package rdma_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestConnectingHasTenSeconds: a dial that the peer's program does not answer ends after ten seconds, or, if its context
// has a deadline, then and not before.
func TestConnectingHasTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rdmatest.NewWorld(t, 1)
		open := func(host string) *rdma.Adapter {
			a, err := w.Host(host).Open(w.Context(), rdma.OpenConfig{})
			must(t, err)
			return a
		}
		server, client := open("there"), open("here")
		ln, err := server.Listen(w.Context(), "there:7471", rdma.ListenConfig{})
		must(t, err)
		zone, err := client.NewZone()
		must(t, err)
		for _, limit := range []time.Duration{0, time.Second, time.Minute} {
			ctx, want := context.Background(), 10*time.Second
			if limit != 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, limit)
				defer cancel()
				want = limit
			}
			begun := time.Now()
			_, err := client.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: zone})
			wantCode(t, err, rdma.ErrTimeout, "dial")
			if took := time.Since(begun); took < want || took >= want+time.Second {
				t.Errorf("limit %v: the dial took %v, want %v", limit, took, want)
			}
		}
	})
}
