package status

// Code is the kind of an error. A Code is an error itself, so that it can be the
// target of errors.Is. It corresponds to a uDAPL return type (DAT_RETURN_TYPE) and,
// where there is one, to a subtype.
type Code uint8

// Codes. The comments name the uDAPL return type.
const (
	// ErrUnknown is the zero value. No error has it.
	ErrUnknown Code = iota
	// ErrInvalid: an argument is out of range (DAT_INVALID_PARAMETER).
	ErrInvalid
	// ErrState: the object's state forbids the call now (DAT_INVALID_STATE).
	ErrState
	// ErrClosed: the object has been closed or freed (DAT_INVALID_HANDLE, and
	// DAT_ABORT for a wait that this ended). Matches net.ErrClosed.
	ErrClosed
	// ErrInUse: other objects still need this one (DAT_INVALID_STATE, ..._IN_USE).
	ErrInUse
	// ErrResources: there is no memory, or a limit of the system or the adapter is
	// reached (DAT_INSUFFICIENT_RESOURCES).
	ErrResources
	// ErrQueueFull: the queue has no room (DAT_INSUFFICIENT_RESOURCES for posts,
	// DAT_QUEUE_FULL for software events).
	ErrQueueFull
	// ErrQueueEmpty: there is nothing to take (DAT_QUEUE_EMPTY).
	ErrQueueEmpty
	// ErrLength: the target is smaller than the data (DAT_LENGTH_ERROR).
	ErrLength
	// ErrPrivileges: the memory lacks a right, or has been freed
	// (DAT_PRIVILEGES_VIOLATION).
	ErrPrivileges
	// ErrProtection: the memory is of another zone (DAT_PROTECTION_VIOLATION).
	ErrProtection
	// ErrUnsupported: the adapter cannot do that (DAT_MODEL_NOT_SUPPORTED).
	ErrUnsupported
	// ErrNotFound: no such adapter (DAT_PROVIDER_NOT_FOUND).
	ErrNotFound
	// ErrExists: the name is taken (DAT_PROVIDER_ALREADY_REGISTERED).
	ErrExists
	// ErrServiceInUse: the service already has a listener (DAT_CONN_QUAL_IN_USE).
	ErrServiceInUse
	// ErrServiceUnavailable: no free service (DAT_CONN_QUAL_UNAVAILABLE).
	ErrServiceUnavailable
	// ErrBadAddress: the address is malformed, no host has that name, or, when
	// listening, no interface of this host has it (DAT_INVALID_ADDRESS).
	ErrBadAddress
	// ErrUnreachable: the host cannot be reached or does not answer
	// (DAT_CONNECTION_EVENT_UNREACHABLE).
	ErrUnreachable
	// ErrRefused: no listener, the backlog is full, or the two sides cannot agree
	// (DAT_CONNECTION_EVENT_NON_PEER_REJECTED).
	ErrRefused
	// ErrRejected: the peer's program has rejected the request
	// (DAT_CONNECTION_EVENT_PEER_REJECTED).
	ErrRejected
	// ErrDisconnected: a side has ended the connection
	// (DAT_CONNECTION_EVENT_DISCONNECTED).
	ErrDisconnected
	// ErrBroken: the connection was lost (DAT_CONNECTION_EVENT_BROKEN).
	ErrBroken
	// ErrTimeout: the time given ran out (DAT_TIMEOUT_EXPIRED). Matches
	// context.DeadlineExceeded and os.ErrDeadlineExceeded.
	ErrTimeout
	// ErrCanceled: the context was cancelled (DAT_INTERRUPTED_CALL). Matches
	// context.Canceled.
	ErrCanceled
	// ErrWork: a posted operation failed; Error.Status says how.
	ErrWork
	// ErrOverflow: a queue could not take what arrived
	// (DAT_ASYNC_ERROR_EVD_OVERFLOW).
	ErrOverflow
	// ErrInternal: the library or the adapter broke (DAT_INTERNAL_ERROR).
	ErrInternal
)

var codeNames = [...]string{
	ErrUnknown: "unknown error", ErrInvalid: "invalid parameter", ErrState: "wrong state", ErrClosed: "closed",
	ErrInUse: "in use", ErrResources: "insufficient resources", ErrQueueFull: "queue full", ErrQueueEmpty: "queue empty",
	ErrLength: "length error", ErrPrivileges: "access right missing", ErrProtection: "wrong protection zone",
	ErrUnsupported: "not supported", ErrNotFound: "not found", ErrExists: "already registered",
	ErrServiceInUse: "service in use", ErrServiceUnavailable: "no service available", ErrBadAddress: "bad address",
	ErrUnreachable: "unreachable", ErrRefused: "refused", ErrRejected: "rejected by peer",
	ErrDisconnected: "disconnected", ErrBroken: "connection broken", ErrTimeout: "timeout",
	ErrCanceled: "canceled", ErrWork: "operation failed", ErrOverflow: "overflow", ErrInternal: "internal error",
}

// String returns the code in words: "queue full".
func (c Code) String() string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return codeNames[ErrUnknown]
}

// Error is String. It makes a code an error, and so a target of errors.Is.
func (c Code) Error() string { return c.String() }
