package valkey_test

import (
	"io"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma/valkey"
)

// TestGatheredBytesLeaveBehindADeadline: the deadline is that of a Write that waits, and these have returned. They leave
// with the peer's next sign of life, or with Close.
func TestGatheredBytesLeaveBehindADeadline(t *testing.T) {
	const all = 300 // one byte each: more than leave unserved
	for _, closes := range []bool{false, true} {
		x, y := pair(t, open(t, "soft-loop"), valkey.Config{KeepAlive: -1})
		for i := range all {
			if _, err := x.Write([]byte{byte(i)}); err != nil {
				t.Fatal(err)
			}
		}
		must(t, x.SetWriteDeadline(time.Unix(1, 0)))
		if closes {
			must(t, x.Close())
		} else {
			go func() { _, _ = io.Copy(io.Discard, x) }()
			_, err := y.Write([]byte("served"))
			must(t, err)
		}
		must(t, y.SetReadDeadline(time.Now().Add(20*time.Second)))
		if n, err := io.ReadFull(y, make([]byte, all)); err != nil {
			t.Errorf("closed: %v: %d of %d bytes arrive: %v", closes, n, all, err)
		}
	}
}
