package dat

// Event is an event of a dispatcher (DAT_EVENT). Only the member of EventData that
// belongs to the event number is meaningful.
type Event struct {
	EventNumber EventNumber
	EVDHandle   EVDHandle
	EventData   EventData
	// EventExtensionData is 2.0: the extended part of an event of the InfiniBand
	// extension (u64[8] in C).
	EventExtensionData IBExtensionEventData
}

// EventData is the data of an event (DAT_EVENT_DATA, a union in C).
type EventData struct {
	DTOCompletionEventData DTOCompletionEventData
	RMRCompletionEventData RMRBindCompletionEventData
	CRArrivalEventData     CRArrivalEventData
	ConnectEventData       ConnectionEventData
	AsynchErrorEventData   AsynchErrorEventData
	SoftwareEventData      SoftwareEventData
}

// DTOCompletionEventData describes how an operation ended
// (DAT_DTO_COMPLETION_EVENT_DATA). Operation and RMRContext, the key that a peer has
// revoked, are 2.0. TransferedLength, spelled as in C, is meaningful with success only:
// the received length, and for other operations the posted length.
type DTOCompletionEventData struct {
	EPHandle         EPHandle
	UserCookie       DTOCookie
	Status           DTOCompletionStatus
	TransferedLength Vlen
	Operation        DTOS
	RMRContext       RMRContext
}

// RMRBindCompletionEventData is the result of a bind
// (DAT_RMR_BIND_COMPLETION_EVENT_DATA).
type RMRBindCompletionEventData struct {
	RMRHandle  RMRHandle
	UserCookie RMRCookie
	Status     DTOCompletionStatus
}

// SPHandle names a service point (DAT_SP_HANDLE, a union in C): one member is
// not null. An RSP ends with its event. The event still has its handle, for programs that free
// it afterwards.
type SPHandle struct {
	RSPHandle RSPHandle
	PSPHandle PSPHandle
	CSPHandle CSPHandle // 2.0
}

// CRArrivalEventData announces a connection request
// (DAT_CR_ARRIVAL_EVENT_DATA). TruncateFlag is 2.0, and false: private data is
// delivered whole.
type CRArrivalEventData struct {
	SPHandle          SPHandle
	LocalIAAddressPtr IAAddressPtr
	ConnQual          ConnQual
	CRHandle          CRHandle
	TruncateFlag      Boolean
}

// ConnectionEventData describes a change of a connection
// (DAT_CONNECTION_EVENT_DATA). The private data is the peer's, with
// ESTABLISHED on the connecting side and with PEER_REJECTED.
type ConnectionEventData struct {
	EPHandle        EPHandle
	PrivateDataSize Count
	PrivateData     []byte
}

// AsynchErrorEventData describes an asynchronous error
// (DAT_ASYNCH_ERROR_EVENT_DATA): the object concerned, the adapter if there is
// none, and a reason that depends on its kind.
type AsynchErrorEventData struct {
	DatHandle Handle
	Reason    Count
}

// SoftwareEventData is the program's own (DAT_SOFTWARE_EVENT_DATA).
type SoftwareEventData struct{ Pointer Pvoid }

// IBExtensionEventData is the extended part of an event of the InfiniBand
// extension (DAT_IB_EXTENSION_EVENT_DATA). 2.0.
type IBExtensionEventData struct {
	Type   IBExtType
	Status IBStatus
	// ImmedData is val.immed.data in C.
	ImmedData uint32
}
