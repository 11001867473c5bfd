package rdma

import "github.com/godapl/godapl/internal/hca"

// Status is how an operation ended (uDAPL: DAT_DTO_COMPLETION_STATUS). Any but
// StatusOK and StatusFlushed means that the connection is gone.
type Status = hca.Status

// Statuses. The comments name the uDAPL status.
const (
	// StatusOK: done (DAT_DTO_SUCCESS).
	StatusOK = hca.StatusOK
	// StatusFlushed: not done, since the connection ended (DAT_DTO_ERR_FLUSHED).
	StatusFlushed = hca.StatusFlushed
	// StatusLocalLength: the receive is smaller than the message
	// (DAT_DTO_ERR_LOCAL_LENGTH).
	StatusLocalLength = hca.StatusLocalLength
	// StatusLocalEndpoint: malformed, or the endpoint broke (DAT_DTO_ERR_LOCAL_EP).
	StatusLocalEndpoint = hca.StatusLocalQP
	// StatusLocalProtection: the local memory failed its check
	// (DAT_DTO_ERR_LOCAL_PROTECTION).
	StatusLocalProtection = hca.StatusLocalProtection
	// StatusBindFailed: the window could not be bound (DAT_RMR_OPERATION_FAILED).
	StatusBindFailed = hca.StatusBindFailed
	// StatusBadResponse: the peer answered nonsense (DAT_DTO_ERR_BAD_RESPONSE).
	StatusBadResponse = hca.StatusBadResponse
	// StatusRemoteAccess: the peer's memory may not be accessed like that
	// (DAT_DTO_ERR_REMOTE_ACCESS).
	StatusRemoteAccess = hca.StatusRemoteAccess
	// StatusRemoteInvalid: the peer could not accept the operation
	// (DAT_DTO_ERR_REMOTE_RESPONDER).
	StatusRemoteInvalid = hca.StatusRemoteInvalid
	// StatusRemoteOp: the peer could not carry it out
	// (DAT_DTO_ERR_REMOTE_RESPONDER).
	StatusRemoteOp = hca.StatusRemoteOp
	// StatusTransport: the transport gave up (DAT_DTO_ERR_TRANSPORT).
	StatusTransport = hca.StatusTransport
	// StatusReceiverNotReady: the peer had no receive for too long
	// (DAT_DTO_ERR_RECEIVER_NOT_READY).
	StatusReceiverNotReady = hca.StatusReceiverNotReady
	// StatusFatal: the adapter is broken.
	StatusFatal = hca.StatusFatal
)

// Op is what a completion is about (uDAPL 2.0: DAT_DTOS).
type Op = hca.Op

// Operations, as completions tell them.
const (
	OpSend           = hca.OpSend           // PostSend
	OpSendInvalidate = hca.OpSendInvalidate // PostSend with Send.Invalidate
	OpSendImm        = hca.OpSendImm        // PostSend with WithImmediate
	OpWrite          = hca.OpWrite          // PostWrite
	OpWriteImm       = hca.OpWriteImm       // PostWrite with WithImmediate
	OpRead           = hca.OpRead           // PostRead
	OpFetchAdd       = hca.OpFetchAdd       // PostFetchAdd
	OpCompareSwap    = hca.OpCompareSwap    // PostCompareSwap
	OpBind           = hca.OpBind           // PostBind, to bind or to unbind
	// OpRecv is a receive that took a send.
	OpRecv = hca.OpRecv
	// OpRecvInvalidate took a send that revoked Completion.Invalidated.
	OpRecvInvalidate = hca.OpRecvInvalidate
	// OpRecvImm took a send with immediate data.
	OpRecvImm = hca.OpRecvImm
	// OpRecvWriteImm was taken by a write with immediate data; the receive's
	// memory is untouched.
	OpRecvWriteImm = hca.OpRecvWriteImm
)
