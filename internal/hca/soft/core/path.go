package core

import (
	"context"

	"github.com/godapl/godapl/internal/hca"
)

// A Path is one way to reach a peer. Package soft tries an adapter's paths in order.
type Path interface {
	// Listen accepts requests for the listener on this path from Serve on. If Service and error are nil, other
	// paths accept them, and this one does not.
	Listen(ctx context.Context, l *Listener) (Service, error)
	// Connect connects a queue pair in StateOpening. If found is false, nobody was found on this path, for the
	// reason in err, and another path may be tried.
	Connect(ctx context.Context, q *QP, to PeerAddress, p hca.ConnParams) (found bool, err error)
	// Skipped logs, where useful, that another path is tried because Connect has found nobody.
	Skipped(to PeerAddress, err error)
	// Close releases what the path holds, when the adapter has no objects left.
	Close()
}

// A Service is a listener's part on one path.
type Service interface {
	Serve()
	Close()
}

// A PeerAddress is where to connect.
type PeerAddress struct {
	Name    string // the address for errors and logs
	Host    string
	Service uint64
}
