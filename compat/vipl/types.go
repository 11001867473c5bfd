package vipl

// Handles. Each is a number: see the package comment. The null handle is 0.
type (
	// NICHandle is an open NIC (VIP_NIC_HANDLE).
	NICHandle uint64
	// VIHandle is a virtual interface (VIP_VI_HANDLE).
	VIHandle uint64
	// CQHandle is a completion queue (VIP_CQ_HANDLE).
	CQHandle uint64
	// ProtectionHandle is a protection tag (VIP_PROTECTION_HANDLE). 0 is the tag that
	// every open NIC has from the beginning.
	ProtectionHandle uint64
	// ConnHandle is a connection request (VIP_CONN_HANDLE).
	ConnHandle uint64
	// MemHandle is registered memory (VIP_MEM_HANDLE), for this side and for peers. It is
	// the key that the adapter has for the region.
	MemHandle uint32
)

// Infinite, as a timeout, is no limit (VIP_INFINITE). Timeouts are in milliseconds.
const Infinite = 0xFFFFFFFF

// ReliabilityLevel is a set of reliability levels (VIP_RELIABILITY_LEVEL). A VI has one.
type ReliabilityLevel uint16

// Reliability levels.
const (
	ServiceUnreliable        ReliabilityLevel = 0x01
	ServiceReliableDelivery  ReliabilityLevel = 0x02
	ServiceReliableReception ReliabilityLevel = 0x04
)

// VIState is the state of a VI (VIP_VI_STATE).
type VIState uint32

// States of a VI.
const (
	StateIdle VIState = iota
	StateConnected
	StateConnectPending
	StateError
)

// String is the name that C has for the state.
func (s VIState) String() string {
	return spell(uint64(s), []string{"VIP_STATE_IDLE", "VIP_STATE_CONNECTED", "VIP_STATE_CONNECT_PENDING", "VIP_STATE_ERROR"}, "VIP_VI_STATE")
}

// MaxDiscriminatorLen is the longest discriminator, in bytes.
const MaxDiscriminatorLen = 16

// NetAddress is the address of a connection (VIP_NET_ADDRESS): HostAddressLen bytes of the
// NIC's address, and behind them DiscriminatorLen bytes that the program chooses, as it
// would choose a port. The NIC's address is 4 or 16 bytes, an IP address; two more bytes are
// a port, high byte first, which otherwise follows from the discriminator.
type NetAddress struct {
	HostAddressLen   uint16
	DiscriminatorLen uint16
	HostAddress      []byte
}

// NICAttributes are the properties of a NIC (VIP_NIC_ATTRIBUTES).
type NICAttributes struct {
	Name                    string
	HardwareVersion         uint32
	ProviderVersion         uint32
	NicAddressLen           uint16
	LocalNicAddress         []byte
	ThreadSafe              bool
	MaxDiscriminatorLen     uint16
	MaxRegisterBytes        uint64
	MaxRegisterRegions      uint32
	MaxRegisterBlockBytes   uint64
	MaxVI                   uint32
	MaxDescriptorsPerQueue  uint32
	MaxSegmentsPerDesc      uint32
	MaxCQ                   uint32
	MaxCQEntries            uint32
	MaxTransferSize         uint32
	NativeMTU               uint32
	MaxPtags                uint32
	ReliabilityLevelSupport ReliabilityLevel
	// RDMAReadSupport is the levels at which RDMA reads work.
	RDMAReadSupport ReliabilityLevel
}

// VIAttributes are the properties of a VI (VIP_VI_ATTRIBUTES).
type VIAttributes struct {
	ReliabilityLevel ReliabilityLevel
	// MaxTransferSize is the longest message, in bytes.
	MaxTransferSize uint32
	// QoS has no values: it must be nil.
	QoS  any
	Ptag ProtectionHandle
	// EnableRdmaWrite and EnableRdmaRead let the peer write to, and read from, regions
	// that allow it.
	EnableRdmaWrite bool
	EnableRdmaRead  bool
}

// MemAttributes are the properties of registered memory (VIP_MEM_ATTRIBUTES).
type MemAttributes struct {
	Ptag ProtectionHandle
	// EnableRdmaWrite and EnableRdmaRead let peers write to it, and read it.
	EnableRdmaWrite bool
	EnableRdmaRead  bool
}

// ResourceCode is the kind of object that an asynchronous error is about
// (VIP_RESOURCE_CODE).
type ResourceCode uint32

// Resource codes.
const (
	ResourceNIC ResourceCode = iota
	ResourceVI
	ResourceCQ
	ResourceDescriptor
)

// ErrorDescriptor is an asynchronous error (VIP_ERROR_DESCRIPTOR). NicHandle is always
// valid, the other handles if ResourceCode calls for them.
type ErrorDescriptor struct {
	NicHandle     NICHandle
	ViHandle      VIHandle
	CQHandle      CQHandle
	DescriptorPtr *Descriptor
	OpCode        uint32
	ResourceCode  ResourceCode
	ErrorCode     ErrorCode
}

// Functions that the library calls, each on a goroutine of the library.
type (
	// ErrorHandler takes an asynchronous error. The descriptor is its own.
	ErrorHandler func(context any, errorDesc *ErrorDescriptor)
	// QueueHandler takes a completed descriptor: see [SendNotify].
	QueueHandler func(context any, nicHandle NICHandle, viHandle VIHandle, descriptor *Descriptor)
	// CQHandler takes an entry of a completion queue: see [CQNotify].
	CQHandler func(context any, nicHandle NICHandle, viHandle VIHandle, recvQueue bool)
)

// SmiAutodiscovery selects the [AutodiscoveryList] (VIP_SMI_AUTODISCOVERY).
const SmiAutodiscovery = 1

// AutodiscoveryList is the addresses of other NICs (VIP_AUTODISCOVERY_LIST).
type AutodiscoveryList struct {
	NumberOfHops uint32
	ADAddrArray  []NetAddress
	NumAdAddrs   uint32
}
