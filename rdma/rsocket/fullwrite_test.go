package rsocket_test

import (
	"io"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma/rsocket"
)

// TestDeadlineBehindAWholeWrite: a Write that has passed on all bytes has no error, whenever its deadline passes.
func TestDeadlineBehindAWholeWrite(t *testing.T) {
	x, y := pair(t, open(t, "soft-loop"), rsocket.Config{Ring: 8 << 20, Send: 8 << 20})
	go func() { _, _ = io.Copy(io.Discard, y) }()
	p := make([]byte, 512<<10) // the last piece of it is half
	for i := range 3000 {
		must(t, x.SetWriteDeadline(time.Now().Add(time.Duration(i%300)*time.Microsecond)))
		if n, err := x.Write(p); n == len(p) && err != nil {
			t.Fatalf("write %d: %d of %d bytes, and %v", i, n, len(p), err)
		}
	}
}
