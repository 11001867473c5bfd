package rdmatest

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
)

// pairTime bounds the connecting of a pair.
const pairTime = 30 * time.Second

// Pair returns the two ends of a connection over the software adapter. They live as long
// as the test:
//
//	a, b := rdmatest.Pair(t)
//	page, err := a.Zone().Alloc(4096, mem.Local)
//
// Each end has its own adapter and its own zone (Conn.Zone). When the test ends, both
// adapters are closed, and with them the connection and all memory. If the connection
// cannot be made, the test fails at once.
func Pair(t testing.TB) (a, b *rdma.Conn) {
	t.Helper()
	return PairOn(t, "soft", rdma.EndpointConfig{})
}

// PairOn is Pair on any adapter that rdma.Open accepts, also one with faults, and with a
// configuration for both endpoints. Its Zone is ignored. Its queues and other objects of
// an adapter must be nil, since each end has an adapter of its own.
func PairOn(t testing.TB, adapter string, cfg rdma.EndpointConfig) (a, b *rdma.Conn) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), pairTime)
	defer cancel()
	server, client := side(ctx, t, adapter), side(ctx, t, adapter)
	host := server.Adapter().Attributes().Address
	if host == "" {
		host = "127.0.0.1"
	}
	ln, err := server.Adapter().Listen(ctx, net.JoinHostPort(host, "0"), rdma.ListenConfig{})
	check(t, err)
	defer ln.Close()
	accepted := make(chan error, 1)
	go func() {
		var err error
		select {
		case request := <-ln.Requests():
			of := cfg
			of.Zone = server
			b, err = request.Accept(ctx, of)
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		accepted <- err
	}()
	of := cfg
	of.Zone = client
	a, err = client.Adapter().Dial(ctx, ln.Addr().String(), of)
	if err != nil {
		cancel() // nobody asks
	}
	acceptErr := <-accepted
	check(t, err)
	check(t, acceptErr)
	return a, b
}

// side opens the adapter for one end, until the test ends.
func side(ctx context.Context, t testing.TB, adapter string) *rdma.Zone {
	t.Helper()
	opened, err := rdma.Open(ctx, adapter, rdma.OpenConfig{})
	check(t, err)
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Errorf("rdmatest: %v", err)
		}
	})
	zone, err := opened.NewZone()
	check(t, err)
	return zone
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("rdmatest: %v", err)
	}
}
