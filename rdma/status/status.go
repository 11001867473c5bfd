package status

// Status is how a posted operation ended (uDAPL: DAT_DTO_COMPLETION_STATUS). Any
// but StatusOK and StatusFlushed means that the connection is gone.
type Status uint8

// Statuses. The comments name the uDAPL status.
const (
	// StatusOK: done (DAT_DTO_SUCCESS).
	StatusOK Status = iota
	// StatusFlushed: not done, since the connection ended (DAT_DTO_ERR_FLUSHED).
	StatusFlushed
	// StatusLocalLength: the receive is smaller than the message, or a message is
	// longer than allowed (DAT_DTO_ERR_LOCAL_LENGTH).
	StatusLocalLength
	// StatusLocalEndpoint: the operation was malformed, or the endpoint broke
	// (DAT_DTO_ERR_LOCAL_EP).
	StatusLocalEndpoint
	// StatusLocalProtection: the local memory failed its check
	// (DAT_DTO_ERR_LOCAL_PROTECTION).
	StatusLocalProtection
	// StatusBindFailed: the window could not be bound (DAT_RMR_OPERATION_FAILED).
	StatusBindFailed
	// StatusBadResponse: the peer's answer was invalid (DAT_DTO_ERR_BAD_RESPONSE).
	StatusBadResponse
	// StatusRemoteAccess: the peer's memory does not allow the access
	// (DAT_DTO_ERR_REMOTE_ACCESS).
	StatusRemoteAccess
	// StatusRemoteInvalid: the peer could not accept the operation, for instance
	// because its receive was too small (DAT_DTO_ERR_REMOTE_RESPONDER).
	StatusRemoteInvalid
	// StatusRemoteOp: the peer could not carry out the operation
	// (DAT_DTO_ERR_REMOTE_RESPONDER).
	StatusRemoteOp
	// StatusTransport: the transport gave up (DAT_DTO_ERR_TRANSPORT).
	StatusTransport
	// StatusReceiverNotReady: the peer had no receive for too long
	// (DAT_DTO_ERR_RECEIVER_NOT_READY).
	StatusReceiverNotReady
	// StatusFatal: the adapter is broken.
	StatusFatal
)

var statusNames = [...]string{
	StatusOK: "success", StatusFlushed: "flushed", StatusLocalLength: "local length error",
	StatusLocalEndpoint: "local endpoint error", StatusLocalProtection: "local protection error",
	StatusBindFailed: "window bind error", StatusBadResponse: "bad response",
	StatusRemoteAccess: "remote access error", StatusRemoteInvalid: "remote invalid request",
	StatusRemoteOp: "remote operation error", StatusTransport: "transport retries exceeded",
	StatusReceiverNotReady: "receiver not ready", StatusFatal: "adapter failure",
}

// String returns the status in words: "flushed".
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return "unknown status"
}
