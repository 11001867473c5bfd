package rsocket_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma/rsocket"
)

// TestEndBeforeADirectWrite: a long Write to a peer without room hears of the end of the connection when it looks for room,
// and does not wait for more. Nothing else would wake it, so the deadline is for the test only.
func TestEndBeforeADirectWrite(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, _ := pair(t, open(t, name), rsocket.Config{})
		must(t, x.SetWriteDeadline(time.Now().Add(100*time.Millisecond)))
		if _, err := x.Write(make([]byte, 64<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("a peer that does not read has room: %v", err)
		}
		must(t, x.SetWriteDeadline(time.Now().Add(5*time.Second)))
		must(t, x.End())
		if _, err := x.Write(make([]byte, 1<<20)); !errors.Is(err, rsocket.ErrReset) {
			t.Errorf("a write to a connection that has ended: %v", err)
		}
	})
}
