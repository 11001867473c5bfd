package dat

// DTOCompletionStatus: How an operation ended (DAT_DTO_COMPLETION_STATUS).
type DTOCompletionStatus uint32

// The values of [DTOCompletionStatus].
const (
	DTOSuccess             DTOCompletionStatus = 0  // done; the length is valid
	DTOErrFlushed          DTOCompletionStatus = 1  // the endpoint left the connected state
	DTOErrLocalLength      DTOCompletionStatus = 2  // the receive is too small
	DTOErrLocalEP          DTOCompletionStatus = 3  // malformed, or the endpoint broke
	DTOErrLocalProtection  DTOCompletionStatus = 4  // a local segment failed its check
	DTOErrBadResponse      DTOCompletionStatus = 5  // the peer answered nonsense
	DTOErrRemoteAccess     DTOCompletionStatus = 6  // the peer refused the access
	DTOErrRemoteResponder  DTOCompletionStatus = 7  // the peer could not do it
	DTOErrTransport        DTOCompletionStatus = 8  // the transport gave up
	DTOErrReceiverNotReady DTOCompletionStatus = 9  // the peer had no receive
	DTOErrPartialPacket    DTOCompletionStatus = 10 // only a part arrived
	RMROperationFailed     DTOCompletionStatus = 11 // a bind failed
	DTOErrLocalMMError     DTOCompletionStatus = 12 // kernel only; 2.0
)

// Reasons of asynchronous errors of an adapter.
const (
	IACatastrophicError Count = 0
	IAOtherError        Count = 1
)

// Reasons of asynchronous errors of an endpoint.
const (
	EPTransferToError         Count = 0
	EPOtherError              Count = 1
	SRQSoftHighWatermarkEvent Count = 2
)

// Reasons of asynchronous errors of an event dispatcher.
const (
	EVDOverflowError Count = 0
	EVDOtherError    Count = 1
)

// Reasons of asynchronous errors of a shared receive queue.
const (
	SRQTransferToError   Count = 0
	SRQOtherError        Count = 1
	SRQLowWatermarkEvent Count = 2
)

// Reason of asynchronous errors of a region.
const (
	LMROtherError Count = 0
)

// Reason of asynchronous errors of a window.
const (
	RMROtherError Count = 0
)

// Reason of asynchronous errors of a zone.
const (
	PZOtherError Count = 0
)

// EventNumber: Events (DAT_EVENT_NUMBER).
type EventNumber uint32

// The values of [EventNumber].
const (
	DTOCompletionEvent                   EventNumber = 0x1
	RMRBindCompletionEvent               EventNumber = 0x1001
	ConnectionRequestEvent               EventNumber = 0x2001
	ConnectionEventEstablished           EventNumber = 0x4001
	ConnectionEventPeerRejected          EventNumber = 0x4002
	ConnectionEventNonPeerRejected       EventNumber = 0x4003
	ConnectionEventAcceptCompletionError EventNumber = 0x4004
	ConnectionEventDisconnected          EventNumber = 0x4005
	ConnectionEventBroken                EventNumber = 0x4006
	ConnectionEventTimedOut              EventNumber = 0x4007
	ConnectionEventUnreachable           EventNumber = 0x4008
	AsyncErrorEVDOverflow                EventNumber = 0x8001
	AsyncErrorIACatastrophic             EventNumber = 0x8002
	AsyncErrorEPBroken                   EventNumber = 0x8003 // also carries the watermarks of endpoints and shared receive queues
	AsyncErrorTimedOut                   EventNumber = 0x8004
	AsyncErrorProviderInternalError      EventNumber = 0x8005
	SoftwareEvent                        EventNumber = 0x10001 // posted with dat_evd_post_se
	HADownTo1                            EventNumber = 0x8101  // 2.0
	HAUpToMultiPath                      EventNumber = 0x8102  // 2.0
	ExtensionEvent                       EventNumber = 0x20000 // 2.0
	IBExtensionRangeBase                 EventNumber = 0x40000 // 2.0
	IWExtensionRangeBase                 EventNumber = 0x80000 // 2.0
)
