package event

import (
	"context"

	"github.com/godapl/godapl/rdma/status"
)

// Error is the type of every error of this package. It contains the call, the object, the
// code, and a remedy. A nil context, dispatcher, source or event pointer gives ErrInvalid;
// calls that return no error panic.
type Error = status.Error

// The codes of this package's errors, as targets of errors.Is.
const (
	// ErrInvalid: an argument is out of range (DAT_INVALID_PARAMETER).
	ErrInvalid = status.ErrInvalid
	// ErrState: another goroutine waits, a channel runs, or waiting is switched off
	// (DAT_INVALID_STATE).
	ErrState = status.ErrState
	// ErrClosed: the dispatcher or set was closed (DAT_ABORT, DAT_INVALID_HANDLE).
	ErrClosed = status.ErrClosed
	// ErrInUse: the dispatcher belongs to another set.
	ErrInUse = status.ErrInUse
	// ErrQueueFull: no room for a posted event (DAT_QUEUE_FULL).
	ErrQueueFull = status.ErrQueueFull
	// ErrQueueEmpty: no event is there (DAT_QUEUE_EMPTY).
	ErrQueueEmpty = status.ErrQueueEmpty
	// ErrTimeout: the time given ran out (DAT_TIMEOUT_EXPIRED). Such errors are
	// os.ErrDeadlineExceeded and context.DeadlineExceeded, too.
	ErrTimeout = status.ErrTimeout
	// ErrCanceled: the context was cancelled (DAT_INTERRUPTED_CALL).
	ErrCanceled = status.ErrCanceled
	// ErrOverflow: a provider's event was lost (DAT_ASYNC_ERROR_EVD_OVERFLOW).
	ErrOverflow = status.ErrOverflow
)

const (
	detailWaiter   = "somebody waits on it or its channel runs: end that first (StopChan ends a channel)"
	detailClosed   = "it has been closed"
	detailNil      = "the context is nil: context.Background() is one that never ends"
	detailUnwait   = "waiting is switched off: SetWaitable(true) allows it again"
	detailFull     = "as many events are queued as it was made for: take some, or Resize"
	detailEmpty    = "no event is queued"
	detailTimeout  = "too few events arrived in time; those that did are still queued"
	detailOverflow = "an event was lost: make it deeper, or take events sooner"
)

// mustHave panics if a call that returns no error got nil.
func mustHave(call string, all bool) {
	if !all {
		panic("rdma/event: " + call + ": an argument is nil")
	}
}

// errContext is the error of a wait that ended with its context.
func errContext(ctx context.Context, op, object string) *Error {
	code := ErrCanceled
	if ctx.Err() == context.DeadlineExceeded {
		code = ErrTimeout
	}
	return &Error{Op: op, Object: object, Code: code, Err: context.Cause(ctx),
		Detail: "the context has ended; nothing was taken from the queue"}
}

// hotErrors are errors that can be as frequent as events. They are allocated with the
// dispatcher, so that returning them allocates nothing.
type hotErrors struct {
	empty, full, busy, timeout Error
}

func (h *hotErrors) init(name string) {
	h.empty = Error{Op: "dequeue", Object: name, Code: ErrQueueEmpty, Detail: detailEmpty}
	h.full = Error{Op: "post", Object: name, Code: ErrQueueFull, Detail: detailFull}
	h.busy = Error{Op: "poll", Object: name, Code: ErrState, Detail: detailWaiter}
	h.timeout = Error{Op: "wait", Object: name, Code: ErrTimeout, Detail: detailTimeout}
}
