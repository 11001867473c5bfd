package rdma_test

import (
	"context"
	"testing"
)

// TestShutdownOfAnEndedConnection says how that has ended, also if the context is done: nothing is waited for.
func TestShutdownOfAnEndedConnection(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		must(t, y.conn.Shutdown(within(t)))
		<-x.conn.Context().Done()
		must(t, x.conn.Shutdown(within(t)))
		ctx, cancel := context.WithCancel(within(t))
		cancel()
		for range 64 {
			must(t, x.conn.Shutdown(ctx))
		}
	})
}
