package rdma

import (
	"context"
	"errors"

	"github.com/godapl/godapl/internal/hca"
)

// contextError is what a call returns whose context is done: ErrTimeout or
// ErrCanceled, with the context's cause if the program gave one.
func contextError(ctx context.Context, op, object string) error {
	e := &hca.Error{Op: op, Object: object, Code: hca.Canceled}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		e.Code = hca.Timeout
	}
	if cause := context.Cause(ctx); cause != ctx.Err() {
		e.Err = cause
	}
	return e
}
