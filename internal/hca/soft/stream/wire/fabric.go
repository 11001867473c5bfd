package wire

import (
	"context"
	"net"
)

// A Fabric makes the byte streams under the stream path.
type Fabric interface {
	Dial(ctx context.Context, address string) (net.Conn, error)
	Listen(ctx context.Context, address string) (net.Listener, error)
}
