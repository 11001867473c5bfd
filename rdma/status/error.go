package status

import (
	"context"
	"net"
	"os"
)

// Error is the type of every error of the module (uDAPL: a DAT_RETURN with its type and
// subtype). With [ErrWork], Status says how an operation failed; with [ErrRejected], Private
// is the private data of the peer's rejection.
type Error struct {
	// Op is the call that the program made, in words: "post send", "free", "connect".
	// It is "connection" where no call is to blame, as when a peer ends one. Object is
	// what it was called on: an address, a name, a connection with its peer's address.
	Op, Object string
	Code       Code
	// Status and Vendor, the device's own number for the failure, are set with ErrWork.
	Status Status
	Vendor uint32
	// Detail says what was wrong and what to do about it.
	Detail string
	// Private is the peer's private data, with ErrRejected.
	Private []byte
	// Immediate is the peer's number, where a call that waits for a message met a write
	// with immediate data.
	Immediate uint32
	// Err is the cause, if another error is.
	Err error
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is matches the code and the corresponding errors of the standard library: net.ErrClosed,
// os.ErrDeadlineExceeded, context.DeadlineExceeded and context.Canceled.
func (e *Error) Is(target error) bool {
	if c, ok := target.(Code); ok {
		return c == e.Code
	}
	switch e.Code {
	case ErrClosed:
		return target == net.ErrClosed
	case ErrTimeout:
		return target == os.ErrDeadlineExceeded || target == context.DeadlineExceeded
	case ErrCanceled:
		return target == context.Canceled
	}
	return false
}

// Timeout reports whether the time ran out. It implements net.Error's method.
func (e *Error) Timeout() bool { return e.Code == ErrTimeout }
