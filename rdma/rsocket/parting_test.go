package rsocket_test

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma/rdmatest"
	"github.com/godapl/godapl/rdma/rsocket"
)

// TestANetworkThatStandsStillBehindClose: the peer gets all bytes and the end, also if it sends credits while the
// network stands still for most of Linger.
func TestANetworkThatStandsStillBehindClose(t *testing.T) {
	rdmatest.Worlds(t, 20, func(t *testing.T, w *rdmatest.World) {
		dialed, accepted := worldPair(t, w, rsocket.Config{Ring: 4096, MaxRing: 4096, Messages: 16})
		sent := make([]byte, 40_000)
		for i, draw := 0, w.Rand("bytes"); i < len(sent); i++ {
			sent[i] = byte(draw.IntN(256))
		}
		link := w.Link(w.Host("client"), w.Host("server")).Latency(10 * time.Millisecond)
		go func() {
			if _, err := dialed.Write(sent); err != nil {
				t.Errorf("write: %v", err)
			}
			at := time.Duration(w.Rand("moment").IntN(20)) * time.Millisecond
			link.Partition(rdmatest.After(at)).Heal(rdmatest.After(at + 9*time.Second))
			if err := dialed.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		}()
		got, err := io.ReadAll(accepted)
		if err != nil || !bytes.Equal(got, sent) {
			t.Errorf("%d of %d bytes came, and then %v", len(got), len(sent), err)
		}
		must(t, accepted.Close())
		<-time.After(20 * time.Second)
	})
}
