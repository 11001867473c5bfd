package rdma

import (
	"context"
	"errors"

	"github.com/godapl/godapl/internal/hca"
)

// nilContext is the error detail of a call that got a nil context.
const nilContext = "the context is nil: context.Background() is one that never ends"

// What the end of a context leaves behind, for contextError.
const (
	nothingBegun  = "the context had ended, so nothing was begun"
	nothingPosted = "the queue had no room, so nothing was posted"
	goesOn        = "it was posted and goes on"
	receiveStays  = "the receive stays posted, and the next Recv takes it over"

	goesOnWithMemory = goesOn + "; its memory is the adapter's until it is done"
)

// over reports whether ctx is done or nil, so that the call cannot begin.
func over(ctx context.Context) bool { return ctx == nil || ctx.Err() != nil }

// contextError is the error of a call whose context is done: ErrTimeout or ErrCanceled, with
// the context's cause if the program gave one. A nil context is ErrInvalid.
func contextError(ctx context.Context, op, object, left string) error {
	if ctx == nil {
		return hca.NewError(hca.Invalid, op, object, nilContext)
	}
	e := &hca.Error{Op: op, Object: object, Code: hca.Canceled, Detail: left}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		e.Code = hca.Timeout
	}
	if cause := context.Cause(ctx); cause != ctx.Err() {
		e.Err = cause
	}
	return e
}
