package dat

// CompletionFlags: Flags of posts and of the completion attributes of
// endpoints (DAT_COMPLETION_FLAGS).
type CompletionFlags uint32

// The values of [CompletionFlags].
const (
	CompletionDefaultFlag            CompletionFlags = 0x0  // the completion notifies
	CompletionSuppressFlag           CompletionFlags = 0x1  // no event if it succeeds
	CompletionSolicitedWaitFlag      CompletionFlags = 0x2  // wakes a peer that is woken by such messages only
	CompletionUnsignalledFlag        CompletionFlags = 0x4  // an event that wakes nobody
	CompletionBarrierFenceFlag       CompletionFlags = 0x8  // waits for earlier reads
	CompletionEVDThresholdFlag       CompletionFlags = 0x10 // attribute: waiters count
	CompletionLMRInvalidateFenceFlag CompletionFlags = 0x20 // kernel only; 2.0
)

// QOS: Qualities of service (DAT_QOS). Adapters here offer best effort.
type QOS uint32

// The values of [QOS].
const (
	QOSBestEffort     QOS = 0 // what adapters here offer
	QOSHighThroughput QOS = 1
	QOSLowLatency     QOS = 2
	QOSEconomy        QOS = 4
	QOSPremium        QOS = 8
)

// ConnectFlags: Flags of dat_ep_connect (DAT_CONNECT_FLAGS).
type ConnectFlags uint32

// The values of [ConnectFlags].
const (
	ConnectDefaultFlag            ConnectFlags = 0 // one path
	ConnectMultipathFlag          ConnectFlags = 1
	ConnectMultipathRequestedFlag ConnectFlags = 1 // 2.0
	ConnectMultipathRequiredFlag  ConnectFlags = 2 // 2.0
)

// CloseFlags: How an adapter is closed or a connection ended
// (DAT_CLOSE_FLAGS).
type CloseFlags uint32

// The values of [CloseFlags].
const (
	CloseAbruptFlag   CloseFlags = 0
	CloseGracefulFlag CloseFlags = 1
)

// EVDFlags: The streams that may feed an event dispatcher (DAT_EVD_FLAGS).
type EVDFlags uint32

// The values of [EVDFlags].
const (
	EVDSoftwareFlag   EVDFlags = 0x1
	EVDCRFlag         EVDFlags = 0x10
	EVDDTOFlag        EVDFlags = 0x20
	EVDConnectionFlag EVDFlags = 0x40
	EVDRMRBindFlag    EVDFlags = 0x80
	EVDAsyncFlag      EVDFlags = 0x100
	EVDDefaultFlag    EVDFlags = 0x1f0
	EVDExtensionBase  EVDFlags = 0x200 // 2.0
)

// PSPFlags: The source of the endpoint for a request (DAT_PSP_FLAGS).
type PSPFlags uint32

// The values of [PSPFlags].
const (
	PSPConsumerFlag PSPFlags = 0
	PSPProviderFlag PSPFlags = 1
)

// MemPrivFlags: Rights over registered memory (DAT_MEM_PRIV_FLAGS). The
// same numbers as mem.Rights.
type MemPrivFlags uint32

// The values of [MemPrivFlags].
const (
	MemPrivNoneFlag        MemPrivFlags = 0x0
	MemPrivLocalReadFlag   MemPrivFlags = 0x1
	MemPrivRemoteReadFlag  MemPrivFlags = 0x2
	MemPrivLocalWriteFlag  MemPrivFlags = 0x10
	MemPrivRemoteWriteFlag MemPrivFlags = 0x20
	MemPrivAllFlag         MemPrivFlags = 0x33
	MemPrivRODisableFlag   MemPrivFlags = 0x100 // Solaris: strong ordering; accepted and without effect; 1.2 only
	MemPrivExtensionBase   MemPrivFlags = 0x40  // 2.0
)
