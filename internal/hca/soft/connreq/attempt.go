package connreq

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// ErrNobody reports that nobody listens at the address.
var ErrNobody = errors.New("nobody in this process listens there")

// Full is why a listener has not taken a request that no program has rejected.
const Full = "the listener's backlog is full, or it is closing: try again, or set a larger ListenConfig.Backlog there"

// CtxError returns the reason why the context ended in place of an error that this caused.
func CtxError(ctx context.Context, op, object string, err error) error {
	cause := context.Cause(ctx)
	if cause == nil {
		// An operation that uses the deadline directly can notice it before the context does.
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

// AcceptError explains why an accepted request did not become a connection.
func AcceptError(ctx context.Context, op string, err error) error {
	if ctx.Err() == nil && errors.Is(err, os.ErrDeadlineExceeded) {
		err = hca.NewError(hca.Timeout, op, "request", "the peer was accepted but has sent no first frame in "+FirstFrameTime.String())
	}
	if _, ok := err.(*hca.Error); !ok {
		err = hca.Wrap(hca.Refused, op, "request", "the peer has given up", err)
	}
	return CtxError(ctx, op, "request", err)
}

// FirstFrameTime bounds how long an initiator may take to send its first frame after the answer. Its adapter
// sends that without the program.
const FirstFrameTime = 10 * time.Second

// RequestTime bounds how long a stream may take to send its request: meanwhile it occupies a place among the
// half-open streams.
const RequestTime = 5 * time.Second
