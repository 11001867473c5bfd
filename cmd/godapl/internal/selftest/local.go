package selftest

import (
	"context"
	"net"
	"time"

	"github.com/godapl/godapl/rdma"
)

// Limit is how long one test may take.
const Limit = 15 * time.Second

// Alone opens an adapter and tries it against itself. host is where it listens; "" is the
// adapter's own address.
func Alone(ctx context.Context, name, host string) (path string, err error) {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	adapter, err := rdma.Open(ctx, name, rdma.OpenConfig{})
	if err != nil {
		return "", err
	}
	defer adapter.Close()
	if host == "" {
		host = adapter.Attributes().Address
	}
	p, err := Listen(ctx, adapter, net.JoinHostPort(host, "0"))
	if err != nil {
		return "", err
	}
	defer p.Close()
	return Try(ctx, adapter, p.Addr())
}
