package rsocket_test

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma/rsocket"
)

// TestGather: ReadFrom sends many buffers as one message, and takes no more memory than they need.
func TestGather(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := pair(t, open(t, name), rsocket.Config{Ring: 512 << 10})
		var buffers net.Buffers
		var want []byte
		for i := range 50 {
			b := bytes.Repeat([]byte{byte(i)}, i)
			buffers, want = append(buffers, b), append(want, b...)
		}
		before := x.Sent()
		n, err := x.ReadFrom(&buffers)
		if n != int64(len(want)) || err != nil || len(buffers) != 0 {
			t.Fatalf("%d bytes, %v, and %d buffers left", n, err, len(buffers))
		}
		if sent := x.Sent() - before; sent != 1 {
			t.Errorf("%d messages", sent)
		}
		got := make([]byte, len(want))
		_, err = io.ReadFull(y, got)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v, or other bytes than were sent", err)
		}
		for _, r := range []io.Reader{strings.NewReader("short"), &net.Buffers{}, bytes.NewReader(nil)} {
			if _, err := x.ReadFrom(r); err != nil {
				t.Error(err)
			}
		}
		if size := x.SendSize(); size > 16<<10 {
			t.Errorf("%d bytes of memory for little to be sent", size)
		}
	})
}
