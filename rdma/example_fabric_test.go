package rdma_test

import (
	"context"
	"fmt"
	"net"
	"slices"

	"github.com/godapl/godapl/rdma"
)

// unixFabric makes streams over Unix sockets. Addresses are host:service, so it
// makes file names of them.
type unixFabric struct{ dir string }

func (f unixFabric) path(address string) string {
	_, service, _ := net.SplitHostPort(address)
	return f.dir + "/" + service
}

func (f unixFabric) Dial(ctx context.Context, address string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "unix", f.path(address))
}

func (f unixFabric) Listen(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	return lc.Listen(ctx, "unix", f.path(address))
}

func ExampleFabric() {
	err := rdma.RegisterFabric("acme-unix", unixFabric{dir: "/run/acme"})
	fmt.Println(err, slices.Contains(rdma.Adapters(), "acme-unix"))
	adapter, err := rdma.Open(context.Background(), "acme-unix", rdma.OpenConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(adapter.Close(), rdma.UnregisterFabric("acme-unix"))
	// Output:
	// <nil> true
	// <nil> <nil>
}
