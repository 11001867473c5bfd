package hca

import (
	"context"
	"net"
	"os"
)

// Code is the kind of an error. Each corresponds to a uDAPL return type, and
// where there is one, to a subtype.
type Code uint8

const (
	// Unknown is not used.
	Unknown Code = iota
	// Invalid: an argument is out of range (DAT_INVALID_PARAMETER).
	Invalid
	// State: the object's state forbids the call now (DAT_INVALID_STATE).
	State
	// Closed: the object has been closed or freed (DAT_INVALID_HANDLE, and
	// DAT_ABORT for a wait that was ended by it).
	Closed
	// InUse: other objects still need this one (DAT_INVALID_STATE, ..._IN_USE).
	InUse
	// Resources: memory or a limit of the system or adapter
	// (DAT_INSUFFICIENT_RESOURCES).
	Resources
	// QueueFull: the queue has no room (DAT_INSUFFICIENT_RESOURCES for posts,
	// DAT_QUEUE_FULL for software events).
	QueueFull
	// QueueEmpty: there is nothing to take (DAT_QUEUE_EMPTY).
	QueueEmpty
	// Length: the receiving memory is smaller than the data (DAT_LENGTH_ERROR).
	Length
	// Privileges: the memory lacks a right, or there is no such memory
	// (DAT_PRIVILEGES_VIOLATION).
	Privileges
	// Protection: the memory belongs to another zone (DAT_PROTECTION_VIOLATION).
	Protection
	// Unsupported: the adapter cannot do that (DAT_MODEL_NOT_SUPPORTED).
	Unsupported
	// NotFound: no such adapter (DAT_PROVIDER_NOT_FOUND).
	NotFound
	// Exists: the name is taken (DAT_PROVIDER_ALREADY_REGISTERED).
	Exists
	// ServiceInUse: somebody listens there (DAT_CONN_QUAL_IN_USE).
	ServiceInUse
	// ServiceUnavailable: no free service could be found
	// (DAT_CONN_QUAL_UNAVAILABLE).
	ServiceUnavailable
	// BadAddress: the address is malformed (DAT_INVALID_ADDRESS).
	BadAddress
	// Unreachable: the host cannot be reached or does not answer
	// (DAT_CONNECTION_EVENT_UNREACHABLE).
	Unreachable
	// Refused: nobody listens, the backlog is full, or the two sides cannot
	// agree (DAT_CONNECTION_EVENT_NON_PEER_REJECTED).
	Refused
	// Rejected: the peer's program said no
	// (DAT_CONNECTION_EVENT_PEER_REJECTED).
	Rejected
	// Disconnected: the connection has ended in order
	// (DAT_CONNECTION_EVENT_DISCONNECTED).
	Disconnected
	// Broken: the connection was lost (DAT_CONNECTION_EVENT_BROKEN).
	Broken
	// Timeout: the time given ran out (DAT_TIMEOUT_EXPIRED).
	Timeout
	// Canceled: the caller's context was cancelled (DAT_INTERRUPTED_CALL).
	Canceled
	// Work: a work request failed; Status says how.
	Work
	// Overflow: a queue could not take what arrived
	// (DAT_ASYNC_ERROR_EVD_OVERFLOW).
	Overflow
	// Internal: the library or adapter broke (DAT_INTERNAL_ERROR).
	Internal
)

var codeNames = [...]string{
	Unknown: "unknown error", Invalid: "invalid parameter", State: "wrong state", Closed: "closed",
	InUse: "in use", Resources: "insufficient resources", QueueFull: "queue full", QueueEmpty: "queue empty",
	Length: "length error", Privileges: "access right missing", Protection: "wrong protection zone",
	Unsupported: "not supported", NotFound: "not found", Exists: "already registered",
	ServiceInUse: "service in use", ServiceUnavailable: "no service available", BadAddress: "bad address",
	Unreachable: "unreachable", Refused: "refused", Rejected: "rejected by peer",
	Disconnected: "disconnected", Broken: "connection broken", Timeout: "timeout",
	Canceled: "canceled", Work: "operation failed", Overflow: "overflow", Internal: "internal error",
}

func (c Code) String() string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return codeNames[Unknown]
}

// Error makes a code usable as a target of errors.Is.
func (c Code) Error() string { return c.String() }

// Error is the error type of the whole module.
type Error struct {
	// Op is the call that the program made, in words: "post send", "free", "connect".
	// It is "connection" where no call is to blame, as when a peer ends one. Object is
	// what it was called on: an address, a name, a connection with its peer's address.
	Op, Object string
	Code       Code
	// Status and Vendor are set for Work.
	Status Status
	Vendor uint32
	// Detail says what was wrong and what to do about it.
	Detail string
	// Private is the peer's private data, with Rejected.
	Private []byte
	// Immediate is the peer's number, where a call that waits for a message met a write
	// with immediate data.
	Immediate uint32
	// Err is the cause, if another error is.
	Err error
}

// NewError makes an error without a cause.
func NewError(code Code, op, object, detail string) *Error {
	return &Error{Op: op, Object: object, Code: code, Detail: detail}
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is matches the code, and the standard library's errors for the same thing:
// net.ErrClosed, os.ErrDeadlineExceeded, context.DeadlineExceeded and
// context.Canceled.
func (e *Error) Is(target error) bool {
	if c, ok := target.(Code); ok {
		return c == e.Code
	}
	switch e.Code {
	case Closed:
		return target == net.ErrClosed
	case Timeout:
		return target == os.ErrDeadlineExceeded || target == context.DeadlineExceeded
	case Canceled:
		return target == context.Canceled
	}
	return false
}

// Timeout makes the error fit net.Error's habit.
func (e *Error) Timeout() bool { return e.Code == Timeout }

// Wrap makes an error with a cause.
func Wrap(code Code, op, object, detail string, err error) *Error {
	return &Error{Op: op, Object: object, Code: code, Detail: detail, Err: err}
}
