package dat

// Other constants.
const (
	ClassError         Return              = 0x80000000
	ClassWarning       Return              = 0x40000000
	ClassSuccess       Return              = 0
	TypeMask           Return              = 0x3fff0000
	SubtypeMask        Return              = 0xffff
	NameNotFound       Return              = 0xa0000
	NameMaxLength                          = 0x100
	TimeoutInfinite    Timeout             = 0xffffffff
	HandleNull                             = 0
	CloseDefault       CloseFlags          = 0
	MemPrivReadFlag    MemPrivFlags        = 3
	MemPrivWriteFlag   MemPrivFlags        = 48
	IAAll              IAAttrMask          = 0x7ffffffff // 2.0: 0x3fffffffff
	EPStateError       EPState             = 11
	WatermarkInfinite                      = -1
	HWDefault                              = -1
	SRQLWDefault                           = 0
	ValueUnknown                           = -2
	DTOLengthError     DTOCompletionStatus = 2
	DTOFailure         DTOCompletionStatus = 1
	RMRBindSuccess     DTOCompletionStatus = 0
	RMRBindFailure     DTOCompletionStatus = 1
	LMRCookieSize                          = 40
	EVDAsyncExists     EVDHandle           = 1
	EVDOutOfScope      EVDHandle           = 2
	VersionMajor                           = 1     // 2.0: 2
	VersionMinor                           = 2     // 2.0: 0
	Threadsafe                             = False // what dat_ia_open asks for
	OptimalAlignment                       = 0x100
	IBExtension        Extension           = 1      // 2.0
	IWExtension        Extension           = 2      // 2.0
	HALBNone           HALB                = 0      // 2.0
	HALBIntercomm      HALB                = 1      // 2.0
	HALBIntracomm      HALB                = 2      // 2.0
	OpenExtensionBase  ExtendedOp          = 0x1000 // 2.0
	CloseExtensionBase ExtendedOp          = 0x2000 // 2.0
	IBExtensionVersion                     = 209    // 2.0
)

// HALB is how an adapter balances load between paths (DAT_HA_LB).
type HALB uint32

// The values of [Boolean].
const (
	False Boolean = false
	True  Boolean = true
)

// Names of attributes and functions.
const (
	ProviderInitFuncStr       = "dat_provider_init"       // 2.0
	ProviderFiniFuncStr       = "dat_provider_fini"       // 2.0
	IBAttrCounters            = "DAT_COUNTERS"            // 2.0
	AttrCounters              = "DAT_COUNTERS"            // 2.0, the former name
	IBAttrFetchAndAdd         = "DAT_IB_FETCH_AND_ADD"    // 2.0
	IBAttrCmpAndSwap          = "DAT_IB_CMP_AND_SWAP"     // 2.0
	IBAttrImmedData           = "DAT_IB_IMMED_DATA"       // 2.0
	IBAttrUD                  = "DAT_IB_UD"               // 2.0
	IBCollSetClock            = "DAT_COLL_SET_CLOCK"      // 2.0
	IBCollReadClock           = "DAT_COLL_READ_CLOCK"     // 2.0
	IBCollBroadcast           = "DAT_COLL_BROADCAST"      // 2.0
	IBCollBarrier             = "DAT_COLL_BARRIER"        // 2.0
	IBCollScatter             = "DAT_COLL_SCATTER"        // 2.0
	IBCollScatterv            = "DAT_COLL_SCATTERV"       // 2.0
	IBCollGather              = "DAT_COLL_GATHER"         // 2.0
	IBCollGatherv             = "DAT_COLL_GATHERV"        // 2.0
	IBCollAllgather           = "DAT_COLL_ALLGATHER"      // 2.0
	IBCollAllgatherv          = "DAT_COLL_ALLGATHERV"     // 2.0
	IBCollAlltoall            = "DAT_COLL_ALLTOALL"       // 2.0
	IBCollAlltoallv           = "DAT_COLL_ALLTOALLV"      // 2.0
	IBCollReduce              = "DAT_COLL_REDUCE"         // 2.0
	IBCollAllreduce           = "DAT_COLL_ALLREDUCE"      // 2.0
	IBCollReduceScatter       = "DAT_COLL_REDUCE_SCATTER" // 2.0
	IBCollScan                = "DAT_COLL_SCAN"           // 2.0
	ExtensionAttr             = "DAT_EXTENSION_INTERFACE" // 2.0
	ExtensionAttrVersion      = "DAT_EXTENSION_VERSION"   // 2.0
	ExtensionAttrVersionValue = "2.0.1"                   // 2.0
	IWAttrSSP                 = "DAT_IW_ATTR_SSP"         // 2.0
)
