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
	// Status is set with Refused, too.
	Status Status
	Vendor uint32
	// Refused is the peer's operation that this side has refused, which broke the connection
	// (ErrBroken): OpWrite, OpRead, OpSend and so on. It is 0 for every other cause, and
	// where the adapter cannot tell, as devices cannot.
	Refused Op
	// Detail says what was wrong and how to correct it.
	Detail string
	// Private is the peer's private data, with ErrRejected.
	Private []byte
	// Immediate is the peer's number, if a call that waits for a message (rdma.Conn.Recv)
	// finds a write with immediate data instead.
	Immediate uint32
	// Flight is what the connection's flight recorder held when it broke (ErrBroken); nil without one.
	// %+v prints it.
	Flight Flight
	// Err is the underlying error; nil if there is none.
	Err error
}

// Unwrap returns Err.
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
