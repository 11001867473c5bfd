package rsocket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/godapl/godapl/rdma"
)

// Fallback makes a connection where RDMA cannot: a *net.Dialer does.
type Fallback interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// dialEither tries RDMA first.
func (d *Dialer) dialEither(ctx context.Context, network, address string) (net.Conn, error) {
	first, cancel := half(ctx)
	c, err := d.dial(first, address)
	cancel()
	if err == nil {
		return c, nil
	}
	if ctx.Err() != nil || errors.Is(err, rdma.ErrClosed) {
		return nil, dialError(address, err)
	}
	if network == "" {
		network = "tcp"
	}
	other, second := d.Fallback.DialContext(ctx, network, address)
	if second != nil {
		return nil, dialError(address, fmt.Errorf("%w; without RDMA: %w", err, second))
	}
	return other, nil
}

// half is a context for the first of two attempts: with half of the time that there is.
func half(ctx context.Context) (context.Context, context.CancelFunc) {
	if end, limited := ctx.Deadline(); limited {
		return context.WithTimeout(ctx, time.Until(end)/2)
	}
	return context.WithCancel(ctx)
}
