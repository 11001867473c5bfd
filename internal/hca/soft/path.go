package soft

import (
	"context"

	"github.com/godapl/godapl/internal/hca"
)

// A path is one way to reach a peer. Package soft tries an adapter's paths in order.
type path interface {
	// listen takes requests to the listener on this path, from serve on. A nil service
	// without an error: not on this path, and others do.
	listen(ctx context.Context, l *listener) (service, error)
	// connect connects a queue pair that is opening. found is false if nobody is there on
	// this path, for the reason in err, and another path may be tried.
	connect(ctx context.Context, q *qp, to peerAddress, p hca.ConnParams) (found bool, err error)
	// skipped tells, if it is worth it, that another path is tried after connect has
	// found nobody.
	skipped(to peerAddress, err error)
	// close gives back what the path has when the adapter has no objects any more.
	close()
}

// A service is a listener's part on one path.
type service interface {
	serve()
	close()
}

// A peerAddress is where to connect.
type peerAddress struct {
	name    string // as errors and logs call it
	host    string
	service uint64
}
