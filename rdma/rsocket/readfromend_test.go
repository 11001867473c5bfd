package rsocket_test

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma/rsocket"
)

// TestTheEndOfAReaderNeedsNoRoom: ReadFrom returns when all is sent, although the peer has no room for more.
func TestTheEndOfAReaderNeedsNoRoom(t *testing.T) {
	const all = 2 * 1984 // as much as the ring takes
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		text := strings.Repeat("x", all)
		for what, r := range map[string]io.Reader{
			"string":  strings.NewReader(text),
			"bytes":   bytes.NewReader([]byte(text)),
			"buffer":  bytes.NewBufferString(text),
			"buffers": &net.Buffers{[]byte(text[1:]), []byte("x"), nil},
			"limited": io.LimitReader(strings.NewReader(text+text), all),
		} {
			x, y := pair(t, a, rsocket.Config{Ring: 4096, MaxRing: 4096})
			must(t, x.SetWriteDeadline(time.Now().Add(20*time.Second)))
			if n, err := x.ReadFrom(r); n != all || err != nil {
				t.Errorf("%s: %d, %v", what, n, err)
			}
			if b, ok := r.(*net.Buffers); ok && len(*b) > 0 {
				t.Errorf("%d buffers are left", len(*b))
			}
			if n, err := x.ReadFrom(strings.NewReader("")); n != 0 || err != nil {
				t.Errorf("%s, once more: %d, %v", what, n, err)
			}
			got := make([]byte, all)
			if _, err := io.ReadFull(y, got); err != nil || string(got) != text {
				t.Errorf("%s: other bytes arrive, %v", what, err)
			}
		}
	})
}
