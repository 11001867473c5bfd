package streamtest

import (
	"context"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
)

// paths are the adapters that every test of behaviour runs on. RDMA_DEVICES names others, to run the
// tests on devices.
var paths = func() []string {
	if names := strings.Fields(os.Getenv("RDMA_DEVICES")); len(names) > 0 {
		return names
	}
	return []string{"soft-loop", "soft-shm", "soft-tcp"}
}()

// OnEveryPath runs a test on each of the paths that can be opened.
func OnEveryPath(t *testing.T, f func(t *testing.T, adapter string)) {
	for _, name := range paths {
		t.Run(name, func(t *testing.T) {
			a, err := rdma.Open(t.Context(), name, rdma.OpenConfig{})
			if err != nil {
				t.Skip(err)
			}
			Must(t, a.Close())
			f(t, name)
		})
	}
}

// Must ends a test that has an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Open opens an adapter that is closed with the test.
func Open(t testing.TB, name string) *rdma.Adapter {
	t.Helper()
	a, err := rdma.Open(context.Background(), name, rdma.OpenConfig{})
	Must(t, err)
	t.Cleanup(func() { _ = a.Close() })
	return a
}

// Place is where to listen on an adapter.
func Place(a *rdma.Adapter) string {
	switch name := a.Name(); {
	case name == "soft-tcp":
		return "127.0.0.1:0"
	case strings.HasPrefix(name, "soft"):
		return "localhost:0"
	}
	return net.JoinHostPort(a.Attributes().Address, "0")
}

// Connect connects two ends, which are closed with the test. dial is the dialer's DialContext.
func Connect[C net.Conn](t testing.TB, ln net.Listener, dial func(ctx context.Context, network, address string) (net.Conn, error)) (dialed, accepted C) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	x, err := dial(ctx, "tcp", ln.Addr().String())
	Must(t, err)
	y, err := ln.Accept()
	Must(t, err)
	t.Cleanup(func() {
		_ = x.Close()
		_ = y.Close()
	})
	return x.(C), y.(C)
}
