package valkey

import (
	"context"
	"net"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/internal/stream"
)

// Dialer connects to valkey-server, or to a [Listener]. DialContext is what client libraries take for
// their own way to connect: the field Dialer of redis.Options, for example. It may be used
// concurrently.
type Dialer struct {
	// Adapter makes the connections.
	Adapter *rdma.Adapter
	// Config are the sizes of the connections.
	Config Config
}

// Dial is DialContext without a limit but the adapter's own: see rdma.Endpoint.Connect.
func (d *Dialer) Dial(network, address string) (net.Conn, error) {
	return d.DialContext(context.Background(), network, address)
}

// DialContext connects to the server at address, host:service, within ctx. The network is ignored,
// since the adapter knows the way. The context has no meaning for the connection, which is a *[Conn].
// Errors are *net.OpError with the error of the adapter inside: see rdma.Endpoint.Connect. It is
// rdma.ErrUnsupported if the adapter has no writes with immediate data.
func (d *Dialer) DialContext(ctx context.Context, _, address string) (net.Conn, error) {
	c, err := d.dial(ctx, address)
	if err != nil {
		return nil, stream.OpError("dial", network, address, err)
	}
	return c, nil
}

func (d *Dialer) dial(ctx context.Context, address string) (*Conn, error) {
	if d.Adapter == nil {
		return nil, stream.ErrNoAdapter
	}
	l, err := newLink(d.Adapter, d.Config.filled(d.Adapter, false))
	if err != nil {
		return nil, err
	}
	rc, err := l.ep.Connect(ctx, address, rdma.ConnConfig{})
	if err == nil {
		var c *Conn
		if c, err = newConn(l, rc, false); err == nil {
			return c, nil
		}
	}
	l.free()
	return nil, err
}
