package valkey_test

import (
	"io"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma/valkey"
)

// TestGatheredBytesHaveAPlace: a Write that has returned has memory and places for operations, so Close loses nothing of it
// when the peer has had no receives for many of the earlier ones.
func TestGatheredBytesHaveAPlace(t *testing.T) {
	const first = 256 // so many writes leave before they are gathered
	cases := map[string]func(i int) (size int){
		// The sixth asks for a completion since it is long, and each tenth behind it: 40 are on their way at last.
		"places": func(i int) int {
			if i == 5 {
				return 5000
			}
			return 1
		},
		"memory": func(i int) int {
			switch {
			case i < first-26:
				return 1
			case i < first:
				return 600
			}
			return 100
		},
	}
	for name, size := range cases {
		// Two receives are for messages. Nobody looks at the others before the peer's program reads, or is idle.
		x, y := pair(t, open(t, "soft-loop"), valkey.Config{Send: 16 << 10, Receives: 222, KeepAlive: -1})
		written := 0
		for i := range first + 15 {
			n, err := x.Write(make([]byte, size(i)))
			must(t, err)
			written += n
		}
		must(t, x.Close())
		must(t, y.SetReadDeadline(time.Now().Add(20*time.Second)))
		got, err := io.ReadAll(y)
		if err != nil || len(got) != written {
			t.Errorf("%s: %d of %d bytes that were written arrive: %v", name, len(got), written, err)
		}
	}
}
