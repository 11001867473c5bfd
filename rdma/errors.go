package rdma

import "github.com/godapl/godapl/rdma/status"

// Error is the error of this package and of rdma/mem: operation, object, code, and a detail
// that says what to do. It corresponds to a DAT_RETURN with its class and subtype. With
// [ErrWork], Status tells how an operation failed; with [ErrRejected], Private is the private
// data of the peer's rejection.
type Error = status.Error

// Code is the kind of an error. Codes are errors themselves, to be used with
// errors.Is.
type Code = status.Code

// Codes. The comments name the uDAPL return type.
const (
	// ErrInvalid: an argument is out of range (DAT_INVALID_PARAMETER).
	ErrInvalid = status.ErrInvalid
	// ErrState: the object's state forbids the call now (DAT_INVALID_STATE).
	ErrState = status.ErrState
	// ErrClosed: the object has been closed or freed (DAT_INVALID_HANDLE,
	// DAT_ABORT). Matches net.ErrClosed.
	ErrClosed = status.ErrClosed
	// ErrInUse: other objects still need this one (DAT_INVALID_STATE).
	ErrInUse = status.ErrInUse
	// ErrResources: there is no memory, or a limit of the system or the adapter is reached
	// (DAT_INSUFFICIENT_RESOURCES).
	ErrResources = status.ErrResources
	// ErrQueueFull: the queue has no room (DAT_INSUFFICIENT_RESOURCES for
	// posts, DAT_QUEUE_FULL for software events).
	ErrQueueFull = status.ErrQueueFull
	// ErrQueueEmpty: there is nothing to take (DAT_QUEUE_EMPTY).
	ErrQueueEmpty = status.ErrQueueEmpty
	// ErrLength: the target is smaller than the data (DAT_LENGTH_ERROR).
	ErrLength = status.ErrLength
	// ErrPrivileges: the memory lacks a right, or has been freed
	// (DAT_PRIVILEGES_VIOLATION).
	ErrPrivileges = status.ErrPrivileges
	// ErrProtection: the memory is of another zone (DAT_PROTECTION_VIOLATION).
	ErrProtection = status.ErrProtection
	// ErrUnsupported: the adapter cannot do that (DAT_MODEL_NOT_SUPPORTED).
	ErrUnsupported = status.ErrUnsupported
	// ErrNotFound: no such adapter (DAT_PROVIDER_NOT_FOUND).
	ErrNotFound = status.ErrNotFound
	// ErrExists: the name is taken (DAT_PROVIDER_ALREADY_REGISTERED).
	ErrExists = status.ErrExists
	// ErrServiceInUse: the service already has a listener (DAT_CONN_QUAL_IN_USE).
	ErrServiceInUse = status.ErrServiceInUse
	// ErrServiceUnavailable: no free service (DAT_CONN_QUAL_UNAVAILABLE).
	ErrServiceUnavailable = status.ErrServiceUnavailable
	// ErrBadAddress: the address is malformed, no host has that name, or no interface of this
	// host has it (Listen) (DAT_INVALID_ADDRESS).
	ErrBadAddress = status.ErrBadAddress
	// ErrUnreachable: the host cannot be reached or does not answer
	// (DAT_CONNECTION_EVENT_UNREACHABLE).
	ErrUnreachable = status.ErrUnreachable
	// ErrRefused: no listener, the backlog is full, or the two sides cannot agree
	// (DAT_CONNECTION_EVENT_NON_PEER_REJECTED).
	ErrRefused = status.ErrRefused
	// ErrRejected: the peer's program has rejected the request
	// (DAT_CONNECTION_EVENT_PEER_REJECTED).
	ErrRejected = status.ErrRejected
	// ErrDisconnected: one of the two sides has ended the connection
	// (DAT_CONNECTION_EVENT_DISCONNECTED).
	ErrDisconnected = status.ErrDisconnected
	// ErrBroken: the connection was lost (DAT_CONNECTION_EVENT_BROKEN).
	ErrBroken = status.ErrBroken
	// ErrTimeout: the time given ran out (DAT_TIMEOUT_EXPIRED). Matches
	// context.DeadlineExceeded and os.ErrDeadlineExceeded.
	ErrTimeout = status.ErrTimeout
	// ErrCanceled: the context was cancelled (DAT_INTERRUPTED_CALL). Matches
	// context.Canceled.
	ErrCanceled = status.ErrCanceled
	// ErrWork: a posted operation failed; Error.Status says how.
	ErrWork = status.ErrWork
	// ErrOverflow: a queue could not take what arrived
	// (DAT_ASYNC_ERROR_EVD_OVERFLOW).
	ErrOverflow = status.ErrOverflow
	// ErrInternal: the library or the adapter broke (DAT_INTERNAL_ERROR).
	ErrInternal = status.ErrInternal
)
