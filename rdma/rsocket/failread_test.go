package rsocket_test

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
	"github.com/godapl/godapl/rdma/rsocket"
)

// TestAFailureLosesNothing: a Write fails and ends the connection. What had arrived before, more than one look takes in, can
// still be read.
func TestAFailureLosesNothing(t *testing.T) {
	rdmatest.Worlds(t, 10, func(t *testing.T, w *rdmatest.World) {
		dialed, accepted := worldPair(t, w, rsocket.Config{})
		const count = 100
		for range count {
			_, err := dialed.Write([]byte("x"))
			must(t, err)
		}
		<-time.After(100 * time.Millisecond) // all has arrived
		w.Host("server").Faults().Set(rdmatest.Post, rdma.ErrResources)
		if _, err := accepted.Write([]byte("y")); !errors.Is(err, rsocket.ErrReset) {
			t.Errorf("write: %v", err)
		}
		if got, err := io.ReadAll(accepted); len(got) != count || !errors.Is(err, rsocket.ErrReset) {
			t.Errorf("%d of %d bytes, %v", len(got), count, err)
		}
	})
}
