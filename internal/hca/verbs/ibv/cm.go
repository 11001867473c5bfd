package ibv

// CMEventType is enum rdma_cm_event_type.
type CMEventType uint32

// Events of the connection manager.
const (
	CMAddrResolved CMEventType = iota
	CMAddrError
	CMRouteResolved
	CMRouteError
	CMConnectRequest
	CMConnectResponse
	CMConnectError
	CMUnreachable
	CMRejected
	CMEstablished
	CMDisconnected
	CMDeviceRemoval
	CMMulticastJoin
	CMMulticastError
	CMAddrChange
	CMTimewaitExit
)

// PortSpace is enum rdma_port_space.
type PortSpace uint32

// PortSpaceTCP is that of reliable connections.
const PortSpaceTCP PortSpace = 0x0106

// Options of [Lib.SetOption], level OptionLevelID.
const (
	OptionLevelID = 0
	OptionLevelIB = 1

	OptionTOS        = 0 // one byte
	OptionReuseAddr  = 1 // int
	OptionAFOnly     = 2 // int
	OptionACKTimeout = 3 // one byte
)

// MaxPrivateData is the longest private data that a call takes. Transports
// take less.
const MaxPrivateData = 255

// ConnParam is struct rdma_conn_param with its private data. Calls copy all of it.
type ConnParam struct {
	PrivateData        []byte
	ResponderResources uint8 // RDMA reads and atomics accepted at a time
	InitiatorDepth     uint8 // RDMA reads and atomics issued at a time
	FlowControl        uint8
	RetryCount         uint8 // 0 to 7; ignored when accepting
	RNRRetryCount      uint8 // 0 to 7; 7 means without end
	SRQ                uint8 // this and QPNum are ignored if the ID has a queue pair
	QPNum              uint32
}

// CMEvent is a copy of a struct rdma_cm_event. It stays valid after
// [Lib.AckCMEvent].
type CMEvent struct {
	ID       ID
	ListenID ID // with CMConnectRequest, the listener
	Type     CMEventType
	// Status is 0, a negative error number, or with CMRejected the transport's
	// reason.
	Status int
	// Conn is what the peer sent. Over InfiniBand private data has the length of
	// the field in the message, filled up with zeros.
	Conn ConnParam

	raw uintptr
}
