package valkey_test

import (
	"net"
	"testing"

	"golang.org/x/net/nettest"

	"github.com/godapl/godapl/rdma/valkey"
)

// TestConn is what the Go project expects of every net.Conn, with the default sizes and with the
// smallest, where every rule of the protocol is met within kilobytes.
func TestConn(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		for size, cfg := range map[string]valkey.Config{"default": {}, "small": {Buffer: 4096, Receives: 16}} {
			t.Run(size, func(t *testing.T) {
				a := open(t, name)
				ln := listen(t, a, cfg)
				nettest.TestConn(t, func() (net.Conn, net.Conn, func(), error) {
					x, y := connect(t, ln, &valkey.Dialer{Adapter: a, Config: cfg})
					return x, y, func() { _, _ = x.Close(), y.Close() }, nil
				})
			})
		}
	})
}
