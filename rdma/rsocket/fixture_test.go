package rsocket_test

import (
	"context"
	"net"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/internal/stream/streamtest"
	"github.com/godapl/godapl/rdma/rsocket"
)

// What the tests of all streams share, by short names.
var (
	onEveryPath = streamtest.OnEveryPath
	must        = streamtest.Must
	open        = streamtest.Open
	place       = streamtest.Place
)

// listen makes a listener that is closed with the test.
func listen(t testing.TB, a *rdma.Adapter, cfg rsocket.Config) *rsocket.Listener {
	t.Helper()
	ln, err := rsocket.Listen(context.Background(), a, place(a), cfg)
	must(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	return ln
}

// pair connects two ends on one adapter.
func pair(t testing.TB, a *rdma.Adapter, cfg rsocket.Config) (dialed, accepted *rsocket.Conn) {
	t.Helper()
	ln := listen(t, a, cfg)
	return connect(t, ln, &rsocket.Dialer{Adapter: a, Config: cfg})
}

func connect(t testing.TB, ln net.Listener, d *rsocket.Dialer) (dialed, accepted *rsocket.Conn) {
	t.Helper()
	return streamtest.Connect[*rsocket.Conn](t, ln, d.DialContext)
}
