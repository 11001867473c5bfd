package valkey_test

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma/valkey"
)

// TestGatheredBytesFitTheBuffer: a Write that has returned has room at the peer, so Close loses nothing of it. A Write beyond
// the peer's buffer waits, also behind hundreds that the peer has not served.
func TestGatheredBytesFitTheBuffer(t *testing.T) {
	x, y := pair(t, open(t, "soft-loop"), valkey.Config{Buffer: 64 << 10, KeepAlive: -1})
	written := 0
	for range 300 {
		n, err := x.Write([]byte{1})
		must(t, err)
		written += n
	}
	n, err := x.Write(make([]byte, 64<<10-written)) // now the buffer is full
	must(t, err)
	written += n
	must(t, x.SetWriteDeadline(time.Now().Add(50*time.Millisecond)))
	n, err = x.Write([]byte{2})
	if written += n; n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a Write beyond the peer's buffer: %d, %v", n, err)
	}
	must(t, x.Close())
	must(t, y.SetReadDeadline(time.Now().Add(20*time.Second)))
	got, err := io.ReadAll(y)
	if err != nil || len(got) != written {
		t.Errorf("%d of %d bytes that were written arrive: %v", len(got), written, err)
	}
}
