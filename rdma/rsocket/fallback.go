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
	first, cancel := d.firstAttempt(ctx)
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
	other, second := d.Fallback.DialContext(ctx, network, d.otherAddress(address))
	if second != nil {
		return nil, dialError(address, &neither{fmt.Errorf("%w; without RDMA: %w", err, second), second})
	}
	return other, nil
}

// neither is the error of two attempts. Programs ask a net.Error whether it is a timeout: it is if the last attempt was one.
type neither struct {
	error
	last error
}

func (n *neither) Unwrap() error { return n.error }

func (n *neither) Timeout() bool {
	var e net.Error
	return errors.As(n.last, &e) && e.Timeout()
}

// firstTime bounds the attempt over RDMA. A peer that is an rsocket answers without its program.
const firstTime = 3 * time.Second

// firstAttempt is the context for the attempt over RDMA.
func (d *Dialer) firstAttempt(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := d.FallbackAfter
	if limit <= 0 {
		limit = firstTime
	}
	if end, limited := ctx.Deadline(); limited {
		limit = min(limit, time.Until(end)/2)
	}
	return context.WithTimeout(ctx, limit)
}

// otherAddress is where Fallback connects to.
func (d *Dialer) otherAddress(address string) string {
	if d.FallbackAddress == "" {
		return address
	}
	host, service, err := net.SplitHostPort(d.FallbackAddress)
	if err != nil || host != "" {
		return d.FallbackAddress
	}
	if host, _, err = net.SplitHostPort(address); err != nil {
		return d.FallbackAddress
	}
	return net.JoinHostPort(host, service)
}
