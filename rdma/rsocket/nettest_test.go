package rsocket_test

import (
	"net"
	"testing"

	"golang.org/x/net/nettest"

	"github.com/godapl/godapl/rdma/rsocket"
)

// TestConn is what the Go project expects of every net.Conn, with the default sizes and with the
// smallest, where every rule of the protocol is met within kilobytes.
func TestConn(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		for size, cfg := range map[string]rsocket.Config{"default": {}, "small": {Ring: 4096, MaxRing: 4096, Messages: 16}} {
			t.Run(size, func(t *testing.T) {
				a := open(t, name)
				ln := listen(t, a, cfg)
				nettest.TestConn(t, func() (net.Conn, net.Conn, func(), error) {
					x, y := connect(t, ln, &rsocket.Dialer{Adapter: a, Config: cfg})
					return x, y, func() { _, _ = x.Close(), y.Close() }, nil
				})
			})
		}
	})
}
