package rsocket_test

import (
	"net"
	"testing"

	"github.com/godapl/godapl/rdma/internal/stream/streamtest"
	"github.com/godapl/godapl/rdma/rsocket"
)

func TestEmptyReads(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := pair(t, open(t, name), rsocket.Config{})
		streamtest.EmptyReads(t, x, y)
	})
	t.Run("net.TCPConn", func(t *testing.T) { // which is the measure
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		defer ln.Close()
		x, y := streamtest.Connect[*net.TCPConn](t, ln, new(net.Dialer).DialContext)
		streamtest.EmptyReads(t, x, y)
	})
}
