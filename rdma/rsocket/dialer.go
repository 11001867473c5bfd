package rsocket

import (
	"context"
	"net"
	"time"

	"github.com/godapl/godapl/internal/rsock"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/internal/stream"
)

// Dialer connects to listeners. Its methods have the form that Go programs take for their own way
// to connect: the field DialContext of http.Transport, for example. It may be used concurrently.
type Dialer struct {
	// Adapter makes the connections.
	Adapter *rdma.Adapter
	// Config are the sizes of the connections.
	Config Config
	// Fallback, for example a *net.Dialer, connects if RDMA cannot: because there is no RDMA listener
	// at the address, or because the adapter cannot reach it. The server needs a second listener for
	// it: see [Join]. nil: there is only RDMA.
	//
	// A connection of Fallback is not a *[Conn]. If both fail, the error has both reasons.
	Fallback Fallback
	// FallbackAddress is where Fallback connects to, host:service. Without a host (":8081") it is the host that was
	// dialed. "": the address that was dialed. Where ports of RDMA are ports of TCP (soft-tcp, iWARP) a
	// server has two.
	FallbackAddress string
	// FallbackAfter bounds how long RDMA is tried before Fallback: a server for TCP may take the connection
	// and wait. If the context has a deadline, half of the time is another bound. 0: three seconds.
	FallbackAfter time.Duration
}

// Dial is DialContext without a limit but the adapter's own: see rdma.Endpoint.Connect.
func (d *Dialer) Dial(network, address string) (net.Conn, error) {
	return d.DialContext(background, network, address)
}

// DialContext connects to the listener at address, host:service. ctx ends the call, not the
// connection. The network is used by Fallback only. The connection is a *[Conn], unless it comes from
// Fallback. Errors are *net.OpError, and wrap the error of rdma.Endpoint.Connect. If the listener is
// no rsocket, the error is [ErrProtocol], or the listener's refusal.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if d.Adapter == nil { // with Fallback, too: it would hide the mistake
		return nil, dialError(address, stream.ErrNoAdapter)
	}
	if d.Fallback != nil {
		return d.dialEither(ctx, network, address)
	}
	c, err := d.dial(ctx, address)
	if err != nil {
		return nil, dialError(address, err)
	}
	return c, nil
}

func dialError(address string, err error) error {
	return stream.OpError("dial", network, address, err)
}

func (d *Dialer) dial(ctx context.Context, address string) (*Conn, error) {
	l, err := newLink(d.Adapter, d.Config.filled(d.Adapter))
	if err != nil {
		return nil, err
	}
	rc, err := l.ep.Connect(ctx, address, rdma.ConnConfig{Private: l.hello(0)})
	if err != nil {
		l.free()
		return nil, err
	}
	peer, err := rsock.ParseHello(rc.PrivateData())
	if err != nil {
		l.free()
		return nil, protocolError(err.Error())
	}
	c := newConn(l, rc, peer, false, false)
	if peer.Big() && !c.immediate {
		_ = c.Close()
		return nil, protocolError("the listener has big-endian messages, which were not asked for")
	}
	return c, nil
}
