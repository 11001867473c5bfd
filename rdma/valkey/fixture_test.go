package valkey_test

import (
	"context"
	"net"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/internal/stream/streamtest"
	"github.com/godapl/godapl/rdma/valkey"
)

// What the tests of all streams share, by short names.
var (
	onEveryPath = streamtest.OnEveryPath
	must        = streamtest.Must
	open        = streamtest.Open
	place       = streamtest.Place
)

// listen makes a listener that is closed with the test.
func listen(t testing.TB, a *rdma.Adapter, cfg valkey.Config) *valkey.Listener {
	t.Helper()
	ln, err := valkey.Listen(context.Background(), a, place(a), cfg)
	must(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	return ln
}

// pair connects two ends on one adapter.
func pair(t testing.TB, a *rdma.Adapter, cfg valkey.Config) (dialed, accepted *valkey.Conn) {
	t.Helper()
	ln := listen(t, a, cfg)
	return connect(t, ln, &valkey.Dialer{Adapter: a, Config: cfg})
}

func connect(t testing.TB, ln net.Listener, d *valkey.Dialer) (dialed, accepted *valkey.Conn) {
	t.Helper()
	return streamtest.Connect[*valkey.Conn](t, ln, d.DialContext)
}
