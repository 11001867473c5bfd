package rsocket_test

import (
	"errors"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/internal/stream/streamtest"
	"github.com/godapl/godapl/rdma/rsocket"
)

// TestTornRead: the program closes the adapter while calls take bytes out of the ring. They return none that the peer
// has not sent. In some rounds the adapter is closed before the Read or after it.
func TestTornRead(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		for range 5 {
			const size = 8 << 20
			a := open(t, name)
			x, y := connect(t, listen(t, a, rsocket.Config{Ring: 4 * size}), &rsocket.Dialer{Adapter: open(t, name)})
			streamtest.TornRead(t, a, x, y, size)
		}
	})
}

// TestTornWriteTo: bytes that a writer may have seen as zeros do not count as copied.
func TestTornWriteTo(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		x, y := connect(t, listen(t, a, rsocket.Config{}), &rsocket.Dialer{Adapter: open(t, name)})
		_, err := x.Write([]byte("lost"))
		must(t, err)
		n, err := y.WriteTo(writerFunc(func(p []byte) (int, error) { return len(p), a.Close() }))
		if n != 0 || !errors.Is(err, rdma.ErrClosed) || !errors.Is(err, rsocket.ErrReset) {
			t.Errorf("%d bytes, %v", n, err)
		}
	})
}
