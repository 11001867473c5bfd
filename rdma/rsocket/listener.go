package rsocket

import (
	"context"
	"net"

	"github.com/godapl/godapl/internal/rsock"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/internal/stream"
)

// Listener takes connections: a [net.Listener]. All methods may be called concurrently.
type Listener struct{ l *stream.Listener }

// Listen takes connections at address, host:service: see rdma.Adapter.Listen. The context ends the
// call, not the listener.
//
// Requests are answered as they arrive, up to 256 at a time, so no peer waits for another that is
// slow to begin, and Accept waits for none of them. If there are 256 and another peer asks, the oldest that has not
// begun in half a second loses its place. 4096 more requests wait to be answered, and further ones are refused.
// A request that is not of an rsocket is rejected.
func Listen(ctx context.Context, a *rdma.Adapter, address string, cfg Config) (*Listener, error) {
	if a == nil {
		return nil, stream.OpError("listen", network, address, stream.ErrNoAdapter)
	}
	cfg = cfg.filled(a)
	l, err := stream.Listen(ctx, a, network, address, func(r *rdma.ConnRequest) (*stream.Attempt, error) { return begin(a, r, cfg) })
	if err != nil {
		return nil, err
	}
	return &Listener{l}, nil
}

// Accept returns the next connection, a *[Conn], and waits for one. After Close the error matches
// net.ErrClosed.
func (l *Listener) Accept() (net.Conn, error) { return l.l.Accept() }

// Addr is the address with the real service.
func (l *Listener) Addr() net.Addr { return l.l.Addr() }

// Close ends the listener, and the connections that Accept has not returned. It waits until their
// attempts have ended. Connections that Accept has returned stay.
func (l *Listener) Close() error { return l.l.Close() }

// begin prepares the answer to a request.
func begin(a *rdma.Adapter, r *rdma.ConnRequest, cfg Config) (*stream.Attempt, error) {
	peer, err := rsock.ParseHello(r.PrivateData())
	if err != nil {
		return nil, err
	}
	k, err := newLink(a, cfg)
	if err != nil {
		return nil, err
	}
	order := peer.Flags & rsock.BigEndian // the answer has the order of the request
	return &stream.Attempt{
		Endpoint: k.ep, Private: k.hello(order), Free: k.free,
		Made: func(rc *rdma.Conn) (net.Conn, error) { return newConn(k, rc, peer, order != 0, true), nil },
	}, nil
}
