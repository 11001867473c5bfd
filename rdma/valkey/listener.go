package valkey

import (
	"context"
	"net"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/internal/stream"
)

// Listener takes connections of clients: a [net.Listener]. All methods may be called concurrently.
type Listener struct{ l *stream.Listener }

// Listen takes connections at address, host:service: see rdma.Adapter.Listen. The context ends the
// call, not the listener. If the adapter has no writes with immediate data, the error matches
// rdma.ErrUnsupported.
//
// Requests are answered as they arrive, up to 256 at a time, so no peer waits for another that is
// slow to begin, and Accept waits for none of them. 4096 more requests wait to be answered, and further ones
// are refused.
func Listen(ctx context.Context, a *rdma.Adapter, address string, cfg Config) (*Listener, error) {
	if a == nil {
		return nil, stream.OpError("listen", network, address, stream.ErrNoAdapter)
	}
	if !a.Attributes().Caps.WriteImmediate {
		return nil, stream.OpError("listen", network, address, noImmediate("the adapter "+a.Name()))
	}
	cfg = cfg.filled(a, true)
	l, err := stream.Listen(ctx, a, network, address, func(*rdma.ConnRequest) (*stream.Attempt, error) {
		k, err := newLink(a, cfg)
		if err != nil {
			return nil, err
		}
		made := func(rc *rdma.Conn) (net.Conn, error) { return newConn(k, rc, true) }
		return &stream.Attempt{Endpoint: k.ep, Made: made, Free: k.free}, nil
	})
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
