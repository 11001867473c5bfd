package core

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// MaxPrivate is the private data that fits every path: siw takes 256 bytes in
// all, of which our negotiation and a wide service id need 20.
const MaxPrivate = 236

var ErrAborted = hca.NewError(hca.Closed, "connect", "", "the endpoint was disconnected or closed meanwhile")

// ErrNobody says that nobody listens where a queue pair is to be connected.
var ErrNobody = errors.New("nobody in this process listens there")

func CheckPrivate(op string, private []byte) error {
	if len(private) > MaxPrivate {
		return hca.NewError(hca.Invalid, op, "", fmt.Sprintf("%d bytes of private data, but at most %d are possible", len(private), MaxPrivate))
	}
	return nil
}

// CtxError prefers the reason why a context ended to what that caused.
func CtxError(ctx context.Context, op, object string, err error) error {
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

// ErrNoReads is the same on both paths.
func ErrNoReads(op hca.Op) error {
	return hca.NewError(hca.Unsupported, "post "+op.String(), "", "no reads or atomics were agreed for this connection: one side was made with a depth of 0")
}

// Connect makes the connection, on whichever path the adapter finds the peer.
func (q *QP) Connect(ctx context.Context, address string, p hca.ConnParams) error {
	return q.Adapter.Connect(ctx, q, address, p)
}

// AcceptError says why an answered request came to nothing.
func AcceptError(ctx context.Context, op string, err error) error {
	if ctx.Err() == nil && errors.Is(err, os.ErrDeadlineExceeded) {
		err = hca.NewError(hca.Timeout, op, "request", "the peer was answered and has not begun in "+FirstFrameTime.String())
	}
	if _, ok := err.(*hca.Error); !ok {
		err = hca.Wrap(hca.Refused, op, "request", "the peer has given up", err)
	}
	return CtxError(ctx, op, "request", err)
}

// FirstFrameTime is how long an initiator may take to begin once it has been answered: its
// adapter does that alone.
const FirstFrameTime = 10 * time.Second

// RequestTime is how long a stream may take to say who it is: its place is held
// for somebody unknown.
const RequestTime = 5 * time.Second
