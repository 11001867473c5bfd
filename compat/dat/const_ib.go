package dat

// Events of the InfiniBand extension.
const (
	IBDTOEvent                     EventNumber = 0x40000 // 2.0
	IBUDConnectionRequestEvent     EventNumber = 0x40001 // 2.0
	IBUDConnectionEventEstablished EventNumber = 0x40002 // 2.0
	IBUDConnectionRejectEvent      EventNumber = 0x40003 // 2.0
	IBUDConnectionErrorEvent       EventNumber = 0x40004 // 2.0
	IBCollectiveEvent              EventNumber = 0x40005 // 2.0
)

// ExtendedOp: Operations of dat_extension_op in the InfiniBand extension.
// Each has a function of its own, too: see [ExtensionOp].
type ExtendedOp int

// The values of [ExtendedOp].
const (
	IBFetchAndAddOp             ExtendedOp = 0    // 2.0
	IBCmpAndSwapOp              ExtendedOp = 1    // 2.0
	IBRDMAWriteImmedOp          ExtendedOp = 2    // 2.0
	IBUDSendOp                  ExtendedOp = 3    // 2.0
	IBQueryCountersOp           ExtendedOp = 4    // 2.0
	IBPrintCountersOp           ExtendedOp = 5    // 2.0
	QueryCountersOp             ExtendedOp = 4    // 2.0, the former name
	PrintCountersOp             ExtendedOp = 5    // 2.0, the former name
	IBCollectiveCreateMemberOp  ExtendedOp = 6    // 2.0
	IBCollectiveFreeMemberOp    ExtendedOp = 7    // 2.0
	IBCollectiveCreateGroupOp   ExtendedOp = 8    // 2.0
	IBCollectiveFreeGroupOp     ExtendedOp = 9    // 2.0
	IBCollectiveSetClockOp      ExtendedOp = 10   // 2.0
	IBCollectiveReadClockOp     ExtendedOp = 11   // 2.0
	IBCollectiveScatterOp       ExtendedOp = 12   // 2.0
	IBCollectiveScattervOp      ExtendedOp = 13   // 2.0
	IBCollectiveGatherOp        ExtendedOp = 14   // 2.0
	IBCollectiveGathervOp       ExtendedOp = 15   // 2.0
	IBCollectiveAllgatherOp     ExtendedOp = 16   // 2.0
	IBCollectiveAllgathervOp    ExtendedOp = 17   // 2.0
	IBCollectiveAlltoallOp      ExtendedOp = 18   // 2.0
	IBCollectiveAlltoallvOp     ExtendedOp = 19   // 2.0
	IBCollectiveReduceOp        ExtendedOp = 20   // 2.0
	IBCollectiveAllreduceOp     ExtendedOp = 21   // 2.0
	IBCollectiveReduceScatterOp ExtendedOp = 22   // 2.0
	IBCollectiveScanOp          ExtendedOp = 23   // 2.0
	IBCollectiveBroadcastOp     ExtendedOp = 24   // 2.0
	IBCollectiveBarrierOp       ExtendedOp = 25   // 2.0
	IBStartCountersOp           ExtendedOp = 26   // 2.0
	IBStopCountersOp            ExtendedOp = 27   // 2.0
	IBUDCMFreeOp                ExtendedOp = 28   // 2.0
	IBUDAHFreeOp                ExtendedOp = 29   // 2.0
	IBOpenQueryOp               ExtendedOp = 4096 // 2.0
	IBCloseQueryOp              ExtendedOp = 8192 // 2.0
)

// IBExtType: What the extended part of an event is about (DAT_IB_EXT_TYPE).
type IBExtType uint32

// The values of [IBExtType].
const (
	IBFetchAndAdd                   IBExtType = 0  // 2.0
	IBCmpAndSwap                    IBExtType = 1  // 2.0
	IBRDMAWriteImmed                IBExtType = 2  // 2.0
	IBRDMAWriteImmedData            IBExtType = 3  // 2.0
	IBRecvImmedData                 IBExtType = 4  // 2.0
	IBUDConnectRequest              IBExtType = 5  // 2.0
	IBUDRemoteAH                    IBExtType = 6  // 2.0
	IBUDPassiveRemoteAH             IBExtType = 7  // 2.0
	IBUDSend                        IBExtType = 8  // 2.0
	IBUDRecv                        IBExtType = 9  // 2.0
	IBUDConnectReject               IBExtType = 10 // 2.0
	IBUDConnectError                IBExtType = 11 // 2.0
	IBCollectiveCreateStatus        IBExtType = 12 // 2.0
	IBCollectiveCreateData          IBExtType = 13 // 2.0
	IBCollectiveClockSetStatus      IBExtType = 14 // 2.0
	IBCollectiveScatterStatus       IBExtType = 15 // 2.0
	IBCollectiveScattervStatus      IBExtType = 16 // 2.0
	IBCollectiveGatherStatus        IBExtType = 17 // 2.0
	IBCollectiveGathervStatus       IBExtType = 18 // 2.0
	IBCollectiveAllgatherStatus     IBExtType = 19 // 2.0
	IBCollectiveAllgathervStatus    IBExtType = 20 // 2.0
	IBCollectiveAlltoallStatus      IBExtType = 21 // 2.0
	IBCollectiveAlltoallvStatus     IBExtType = 22 // 2.0
	IBCollectiveReduceStatus        IBExtType = 23 // 2.0
	IBCollectiveAllreduceStatus     IBExtType = 24 // 2.0
	IBCollectiveReduceScatterStatus IBExtType = 25 // 2.0
	IBCollectiveScanStatus          IBExtType = 26 // 2.0
	IBCollectiveBroadcastStatus     IBExtType = 27 // 2.0
	IBCollectiveBarrierStatus       IBExtType = 28 // 2.0
)

// IBStatus: How an extended operation ended (DAT_IB_STATUS).
type IBStatus uint32

// The values of [IBStatus].
const (
	OpSuccess     IBStatus = 0 // 2.0
	IBOpErr       IBStatus = 1 // 2.0
	IBCollCompErr IBStatus = 2 // 2.0
)

// Return types of the InfiniBand extension.
const (
	IBErr           Return = 0x10000000 // 2.0
	IBCollectiveErr Return = 0x10000001 // one above DAT_IB_ERR, as the header has it; 2.0
)

// Operations of the InfiniBand extension, in completions.
const (
	IBDTORDMAWriteImmed DTOS = 8  // 2.0
	IBDTORecvImmed      DTOS = 9  // 2.0
	IBDTOFetchAdd       DTOS = 10 // 2.0
	IBDTOCmpSwap        DTOS = 11 // 2.0
	IBDTORecvMsgImmed   DTOS = 12 // 2.0
	IBDTOSendUD         DTOS = 13 // 2.0
	IBDTORecvUD         DTOS = 14 // 2.0
	IBDTORecvUDImmed    DTOS = 15 // 2.0
	IBDTOCollectives    DTOS = 16 // 2.0
)

// Kinds of objects of the InfiniBand extension.
const (
	IBHandleTypeExt        HandleType = 12 // 2.0
	IBHandleTypeCollective HandleType = 13 // 2.0
)

// The stream of the InfiniBand extension.
const (
	IBEVDExtensionFlag EVDFlags = 0x200 // 2.0
)

// The right of the InfiniBand extension: peers may add and compare-and-
// swap.
const (
	IBMemPrivRemoteAtomic MemPrivFlags = 0x40 // 2.0
)

// Datagram endpoints; no adapter here has them.
const (
	IBServiceTypeUD ServiceType = 1 // 2.0
)
