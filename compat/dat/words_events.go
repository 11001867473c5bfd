package dat

var dtoCompletionStatusWords = words[DTOCompletionStatus]{
	{DTOSuccess, "DAT_DTO_SUCCESS"},
	{DTOErrFlushed, "DAT_DTO_ERR_FLUSHED"},
	{DTOErrLocalLength, "DAT_DTO_ERR_LOCAL_LENGTH"},
	{DTOErrLocalEP, "DAT_DTO_ERR_LOCAL_EP"},
	{DTOErrLocalProtection, "DAT_DTO_ERR_LOCAL_PROTECTION"},
	{DTOErrBadResponse, "DAT_DTO_ERR_BAD_RESPONSE"},
	{DTOErrRemoteAccess, "DAT_DTO_ERR_REMOTE_ACCESS"},
	{DTOErrRemoteResponder, "DAT_DTO_ERR_REMOTE_RESPONDER"},
	{DTOErrTransport, "DAT_DTO_ERR_TRANSPORT"},
	{DTOErrReceiverNotReady, "DAT_DTO_ERR_RECEIVER_NOT_READY"},
	{DTOErrPartialPacket, "DAT_DTO_ERR_PARTIAL_PACKET"},
	{RMROperationFailed, "DAT_RMR_OPERATION_FAILED"},
	{DTOErrLocalMMError, "DAT_DTO_ERR_LOCAL_MM_ERROR"},
}

// String gives the name of the value as C spells it.
func (v DTOCompletionStatus) String() string { return dtoCompletionStatusWords.one(v) }

var eventNumberWords = words[EventNumber]{
	{DTOCompletionEvent, "DAT_DTO_COMPLETION_EVENT"},
	{RMRBindCompletionEvent, "DAT_RMR_BIND_COMPLETION_EVENT"},
	{ConnectionRequestEvent, "DAT_CONNECTION_REQUEST_EVENT"},
	{ConnectionEventEstablished, "DAT_CONNECTION_EVENT_ESTABLISHED"},
	{ConnectionEventPeerRejected, "DAT_CONNECTION_EVENT_PEER_REJECTED"},
	{ConnectionEventNonPeerRejected, "DAT_CONNECTION_EVENT_NON_PEER_REJECTED"},
	{ConnectionEventAcceptCompletionError, "DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR"},
	{ConnectionEventDisconnected, "DAT_CONNECTION_EVENT_DISCONNECTED"},
	{ConnectionEventBroken, "DAT_CONNECTION_EVENT_BROKEN"},
	{ConnectionEventTimedOut, "DAT_CONNECTION_EVENT_TIMED_OUT"},
	{ConnectionEventUnreachable, "DAT_CONNECTION_EVENT_UNREACHABLE"},
	{AsyncErrorEVDOverflow, "DAT_ASYNC_ERROR_EVD_OVERFLOW"},
	{AsyncErrorIACatastrophic, "DAT_ASYNC_ERROR_IA_CATASTROPHIC"},
	{AsyncErrorEPBroken, "DAT_ASYNC_ERROR_EP_BROKEN"},
	{AsyncErrorTimedOut, "DAT_ASYNC_ERROR_TIMED_OUT"},
	{AsyncErrorProviderInternalError, "DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR"},
	{HADownTo1, "DAT_HA_DOWN_TO_1"},
	{HAUpToMultiPath, "DAT_HA_UP_TO_MULTI_PATH"},
	{SoftwareEvent, "DAT_SOFTWARE_EVENT"},
	{ExtensionEvent, "DAT_EXTENSION_EVENT"},
	{IBDTOEvent, "DAT_IB_DTO_EVENT"},
	{IBUDConnectionRequestEvent, "DAT_IB_UD_CONNECTION_REQUEST_EVENT"},
	{IBUDConnectionEventEstablished, "DAT_IB_UD_CONNECTION_EVENT_ESTABLISHED"},
	{IBUDConnectionRejectEvent, "DAT_IB_UD_CONNECTION_REJECT_EVENT"},
	{IBUDConnectionErrorEvent, "DAT_IB_UD_CONNECTION_ERROR_EVENT"},
	{IBCollectiveEvent, "DAT_IB_COLLECTIVE_EVENT"},
	{IWExtensionRangeBase, "DAT_IW_EXTENSION_RANGE_BASE"},
}

// String gives the name of the value as C spells it.
func (v EventNumber) String() string { return eventNumberWords.one(v) }
