package core

import (
	"context"

	"github.com/godapl/godapl/internal/hca"
)

// A Path is one way to reach a peer. Package soft tries an adapter's paths in order.
type Path interface {
	// Listen takes requests to the listener on this path, from serve on. A nil service
	// without an error: not on this path, and others do.
	Listen(ctx context.Context, l *Listener) (Service, error)
	// Connect connects a queue pair that is opening. found is false if nobody is there on
	// this path, for the reason in err, and another path may be tried.
	Connect(ctx context.Context, q *QP, to PeerAddress, p hca.ConnParams) (found bool, err error)
	// Skipped tells, if it is worth it, that another path is tried after connect has
	// found nobody.
	Skipped(to PeerAddress, err error)
	// Close gives back what the path has when the adapter has no objects any more.
	Close()
}

// A Service is a listener's part on one path.
type Service interface {
	Serve()
	Close()
}

// A PeerAddress is where to connect.
type PeerAddress struct {
	Name    string // as errors and logs call it
	Host    string
	Service uint64
}
