package rdma

import (
	"context"
	"net"
)

// Fabric is how an adapter of the program's own makes byte streams: over TLS,
// between virtual machines, through pipes in memory. The software adapter runs
// iWARP over them (MPA, RFC 5044 and 6581).
//
// Addresses are the program's: Dial and Listen get what Adapter.Dial and Adapter.Listen
// were given, letter by letter, host:service or not. Two forms mean something here, too.
// With a service of 0 (host:0) Listen chooses: [Listener.Addr] then has the service that
// the net.Listener's address ends in, or is that address. And a service above 65535
// becomes one of a few below it, the same on both sides. Streams must be reliable and ordered. Methods are called
// concurrently. Errors that are ErrRefused, ErrUnreachable, ErrBadAddress or
// ErrServiceInUse keep that meaning.
type Fabric interface {
	// Dial makes a stream to whoever listens at address. The context ends the
	// attempt, not the stream.
	Dial(ctx context.Context, address string) (net.Conn, error)
	// Listen takes streams for address until the listener is closed.
	Listen(ctx context.Context, address string) (net.Listener, error)
}
