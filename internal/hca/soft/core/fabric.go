package core

import (
	"context"
	"net"
)

// A Fabric makes the byte streams that the network path runs over.
type Fabric interface {
	Dial(ctx context.Context, address string) (net.Conn, error)
	Listen(ctx context.Context, address string) (net.Listener, error)
}
