package soft

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// maxPrivate is the private data that fits every path: siw takes 256 octets in
// all, of which our negotiation and a wide service id need 20.
const maxPrivate = 236

var errAborted = hca.NewError(hca.Closed, "connect", "", "the endpoint was disconnected or closed meanwhile")

// errNobody says that nobody listens where a queue pair is to be connected.
var errNobody = errors.New("nobody in this process listens there")

func checkPrivate(op string, private []byte) error {
	if len(private) > maxPrivate {
		return hca.NewError(hca.Invalid, op, "", fmt.Sprintf("%d bytes of private data, but at most %d are possible", len(private), maxPrivate))
	}
	return nil
}

// ctxError prefers the reason why a context ended to what that caused.
func ctxError(ctx context.Context, op, object string, err error) error {
	cause := context.Cause(ctx)
	if cause == nil {
		// What works with the deadline itself can be ahead of the context.
		if d, ok := ctx.Deadline(); !ok || time.Now().Before(d) {
			return err
		}
		cause = context.DeadlineExceeded
	}
	if e, ok := errors.AsType[*hca.Error](cause); ok {
		return e
	}
	if errors.Is(cause, context.DeadlineExceeded) {
		return hca.Wrap(hca.Timeout, op, object, "no answer in time", cause)
	}
	return hca.Wrap(hca.Canceled, op, object, "", cause)
}

// errMute is the same on both paths.
func errMute(op hca.Op) error {
	return hca.NewError(hca.Unsupported, "post "+op.String(), "", "no reads or atomics were agreed for this connection: one side was made with a depth of 0")
}

// Connect makes the connection, on whichever path the adapter finds the peer.
func (q *qp) Connect(ctx context.Context, address string, p hca.ConnParams) error {
	return q.a.connect(ctx, q, address, p)
}

// acceptError says why an answered request came to nothing.
func acceptError(ctx context.Context, op string, err error) error {
	if ctx.Err() == nil && errors.Is(err, os.ErrDeadlineExceeded) {
		err = hca.NewError(hca.Timeout, op, "request", "the peer was answered and has not begun in "+firstTime.String())
	}
	if _, ok := err.(*hca.Error); !ok {
		err = hca.Wrap(hca.Refused, op, "request", "the peer has given up", err)
	}
	return ctxError(ctx, op, "request", err)
}

// firstTime is how long an initiator may take to begin once it has been answered: its
// adapter does that alone.
const firstTime = 10 * time.Second

// requestTime is how long a stream may take to say who it is: its place is held
// for somebody unknown.
const requestTime = 5 * time.Second
