package hca

import "github.com/godapl/godapl/rdma/status"

// The errors of the contract are those of the public package status, under short names.
type (
	Error = status.Error
	Code  = status.Code
)

// Codes.
const (
	Unknown            = status.ErrUnknown
	Invalid            = status.ErrInvalid
	State              = status.ErrState
	Closed             = status.ErrClosed
	InUse              = status.ErrInUse
	Resources          = status.ErrResources
	QueueFull          = status.ErrQueueFull
	QueueEmpty         = status.ErrQueueEmpty
	Length             = status.ErrLength
	Privileges         = status.ErrPrivileges
	Protection         = status.ErrProtection
	Unsupported        = status.ErrUnsupported
	NotFound           = status.ErrNotFound
	Exists             = status.ErrExists
	ServiceInUse       = status.ErrServiceInUse
	ServiceUnavailable = status.ErrServiceUnavailable
	BadAddress         = status.ErrBadAddress
	Unreachable        = status.ErrUnreachable
	Refused            = status.ErrRefused
	Rejected           = status.ErrRejected
	Disconnected       = status.ErrDisconnected
	Broken             = status.ErrBroken
	Timeout            = status.ErrTimeout
	Canceled           = status.ErrCanceled
	Work               = status.ErrWork
	Overflow           = status.ErrOverflow
	Internal           = status.ErrInternal
)

// NewError makes an error without a cause.
func NewError(code Code, op, object, detail string) *Error {
	return &Error{Op: op, Object: object, Code: code, Detail: detail}
}

// Wrap makes an error with a cause.
func Wrap(code Code, op, object, detail string, err error) *Error {
	return &Error{Op: op, Object: object, Code: code, Detail: detail, Err: err}
}
