package rdma

import (
	"context"
	"net"
)

// Fabric supplies byte streams for an adapter of the program's own: over TLS, between virtual
// machines, through pipes in memory. The software adapter runs iWARP over them (MPA, RFC 5044
// and 6581).
//
// The program defines the addresses: Dial and Listen get the unchanged text that was passed to
// Adapter.Dial and Adapter.Listen, host:service or not. Two forms have a meaning here, too.
// With service 0 (host:0) Listen chooses the service: [Listener.Addr] then has the service at
// the end of the net.Listener's address, or is that address. A service above 65535 is mapped
// to one of a few below it, the same on both sides. Streams must be reliable and ordered.
// Methods are called concurrently. Errors that match ErrRefused, ErrUnreachable, ErrBadAddress
// or ErrServiceInUse keep their code.
type Fabric interface {
	// Dial opens a stream to the listener at address. The context ends the attempt, not the
	// stream.
	Dial(ctx context.Context, address string) (net.Conn, error)
	// Listen accepts streams for address until the listener is closed.
	Listen(ctx context.Context, address string) (net.Listener, error)
}
