package valkey_test

import (
	"testing"

	"github.com/godapl/godapl/rdma/internal/stream/streamtest"
	"github.com/godapl/godapl/rdma/valkey"
)

// TestTornRead: the program closes the adapter while a Read copies out of the buffer. It returns no bytes that the peer has
// not sent. In some rounds the adapter is closed before the Read or after it.
func TestTornRead(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		for range 5 {
			const size = 8 << 20
			a := open(t, name)
			x, y := connect(t, listen(t, a, valkey.Config{Buffer: size}), &valkey.Dialer{Adapter: open(t, name)})
			streamtest.TornRead(t, a, x, y, size)
		}
	})
}
