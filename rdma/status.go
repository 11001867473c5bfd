package rdma

import "github.com/godapl/godapl/rdma/status"

// Status is how an operation ended (uDAPL: DAT_DTO_COMPLETION_STATUS). Any but
// StatusOK and StatusFlushed means that the connection is gone.
type Status = status.Status

// Statuses. The comments name the uDAPL status.
const (
	// StatusOK: done (DAT_DTO_SUCCESS).
	StatusOK = status.StatusOK
	// StatusFlushed: not done, since the connection ended (DAT_DTO_ERR_FLUSHED).
	StatusFlushed = status.StatusFlushed
	// StatusLocalLength: the receive is smaller than the message, or a message is
	// longer than allowed (DAT_DTO_ERR_LOCAL_LENGTH).
	StatusLocalLength = status.StatusLocalLength
	// StatusLocalEndpoint: the operation was malformed, or the endpoint broke
	// (DAT_DTO_ERR_LOCAL_EP).
	StatusLocalEndpoint = status.StatusLocalEndpoint
	// StatusLocalProtection: the local memory failed its check
	// (DAT_DTO_ERR_LOCAL_PROTECTION).
	StatusLocalProtection = status.StatusLocalProtection
	// StatusBindFailed: the window could not be bound (DAT_RMR_OPERATION_FAILED).
	StatusBindFailed = status.StatusBindFailed
	// StatusBadResponse: the peer's answer was invalid (DAT_DTO_ERR_BAD_RESPONSE).
	StatusBadResponse = status.StatusBadResponse
	// StatusRemoteAccess: the peer's memory does not allow the access
	// (DAT_DTO_ERR_REMOTE_ACCESS).
	StatusRemoteAccess = status.StatusRemoteAccess
	// StatusRemoteInvalid: the peer could not accept the operation, for instance
	// because its receive was too small (DAT_DTO_ERR_REMOTE_RESPONDER).
	StatusRemoteInvalid = status.StatusRemoteInvalid
	// StatusRemoteOp: the peer could not carry out the operation
	// (DAT_DTO_ERR_REMOTE_RESPONDER).
	StatusRemoteOp = status.StatusRemoteOp
	// StatusTransport: the transport gave up (DAT_DTO_ERR_TRANSPORT).
	StatusTransport = status.StatusTransport
	// StatusReceiverNotReady: the peer had no receive for too long
	// (DAT_DTO_ERR_RECEIVER_NOT_READY).
	StatusReceiverNotReady = status.StatusReceiverNotReady
	// StatusFatal: the adapter is broken.
	StatusFatal = status.StatusFatal
)

// Op is what a completion is about (uDAPL 2.0: DAT_DTOS).
type Op = status.Op

// The operations that a completion can report.
const (
	OpSend           = status.OpSend           // PostSend
	OpSendInvalidate = status.OpSendInvalidate // PostSend with Send.Invalidate
	OpSendImm        = status.OpSendImm        // PostSend with WithImmediate
	OpWrite          = status.OpWrite          // PostWrite
	OpWriteImm       = status.OpWriteImm       // PostWrite with WithImmediate
	OpRead           = status.OpRead           // PostRead
	OpFetchAdd       = status.OpFetchAdd       // PostFetchAdd
	OpCompareSwap    = status.OpCompareSwap    // PostCompareSwap
	OpBind           = status.OpBind           // PostBind, to bind or to unbind
	// OpRecv is a receive that took a send.
	OpRecv = status.OpRecv
	// OpRecvInvalidate took a send that revoked Completion.Invalidated.
	OpRecvInvalidate = status.OpRecvInvalidate
	// OpRecvImm took a send with immediate data.
	OpRecvImm = status.OpRecvImm
	// OpRecvWriteImm was taken by a write with immediate data; the receive's
	// memory is untouched.
	OpRecvWriteImm = status.OpRecvWriteImm
)
