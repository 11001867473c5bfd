package wire

import (
	"context"
	"net"
)

// TCP is the network of this host.
type TCP struct{}

// Dial implements Fabric.
func (TCP) Dial(ctx context.Context, address string) (net.Conn, error) {
	d := net.Dialer{Control: shareable}
	return d.DialContext(ctx, "tcp", address)
}

// Listen implements Fabric.
func (TCP) Listen(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	return lc.Listen(ctx, "tcp", address)
}
