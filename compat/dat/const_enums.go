package dat

// IOVOwnership: The owner of the list of segments after a post
// (DAT_IOV_OWNERSHIP).
type IOVOwnership uint32

// The values of [IOVOwnership].
const (
	IOVConsumer      IOVOwnership = 0
	IOVProviderNomod IOVOwnership = 1
	IOVProviderMod   IOVOwnership = 2
)

// EPCreatorForPSP: Whether public service points make the endpoints
// (DAT_EP_CREATOR_FOR_PSP).
type EPCreatorForPSP uint32

// The values of [EPCreatorForPSP].
const (
	PSPCreatesEPNever   EPCreatorForPSP = 0
	PSPCreatesEPIfasked EPCreatorForPSP = 1
	PSPCreatesEPAlways  EPCreatorForPSP = 2
)

// ServiceType: Kinds of endpoints (DAT_SERVICE_TYPE).
type ServiceType uint32

// The values of [ServiceType].
const (
	ServiceTypeRC            ServiceType = 0
	ServiceTypeExtensionBase ServiceType = 1 // 2.0
)

// EPState: States of an endpoint (DAT_EP_STATE).
type EPState uint32

// The values of [EPState].
const (
	EPStateUnconnected                EPState = 0  // idle
	EPStateUnconfiguredUnconnected    EPState = 1  // never reported
	EPStateReserved                   EPState = 2  // waits with a reserved service point
	EPStateUnconfiguredReserved       EPState = 3  // never reported
	EPStatePassiveConnectionPending   EPState = 4  // its service point has a request
	EPStateUnconfiguredPassive        EPState = 5  // never reported
	EPStateActiveConnectionPending    EPState = 6  // connecting
	EPStateTentativeConnectionPending EPState = 7  // made by the provider for a request
	EPStateUnconfiguredTentative      EPState = 8  // never reported
	EPStateConnected                  EPState = 9  // operations may be posted
	EPStateDisconnectPending          EPState = 10 // a graceful disconnect is draining
	EPStateDisconnected               EPState = 11 // over; posts are flushed at once
	EPStateCompletionPending          EPState = 12 // an accept is under way
	EPStateConnectedSinglePath        EPState = 13 // never reported; 2.0
	EPStateConnectedMultiPath         EPState = 14 // never reported; 2.0
)

// SRQState: States of a shared receive queue (DAT_SRQ_STATE).
type SRQState uint32

// The values of [SRQState].
const (
	SRQStateError       SRQState = 1 // 2.0: 0
	SRQStateOperational SRQState = 0 // 2.0: 1
	SRQStateShutdown    SRQState = 2 // 2.0
)

// MemType: What a region is registered over (DAT_MEM_TYPE).
type MemType uint32

// The values of [MemType].
const (
	MemTypeVirtual       MemType = 0 // memory of the program
	MemTypeLMR           MemType = 1 // the memory of another region
	MemTypeSharedVirtual MemType = 2 // memory shared between processes
	MemTypeSOVirtual     MemType = 3 // Solaris: strongly ordered; as VIRTUAL on amd64; 1.2 only
)

// HandleType: Kinds of objects (DAT_HANDLE_TYPE).
type HandleType uint32

// The values of [HandleType].
const (
	HandleTypeCR            HandleType = 0
	HandleTypeEP            HandleType = 1
	HandleTypeEVD           HandleType = 2
	HandleTypeIA            HandleType = 3
	HandleTypeLMR           HandleType = 4
	HandleTypePSP           HandleType = 5
	HandleTypePZ            HandleType = 6
	HandleTypeRMR           HandleType = 7
	HandleTypeRSP           HandleType = 8
	HandleTypeCNO           HandleType = 9
	HandleTypeSRQ           HandleType = 10
	HandleTypeCSP           HandleType = 11 // 2.0
	HandleTypeExtensionBase HandleType = 12 // 2.0
)

// EVDState: State bits of an event dispatcher (DAT_EVD_STATE): one of each
// pair, and one configuration, which is a value under the mask 0x30 and not
// a bit.
type EVDState uint32

// The values of [EVDState].
const (
	EVDStateEnabled         EVDState = 0x1
	EVDStateDisabled        EVDState = 0x2
	EVDStateWaitable        EVDState = 0x4
	EVDStateUnwaitable      EVDState = 0x8
	EVDStateConfigNotify    EVDState = 0x10
	EVDStateConfigSolicited EVDState = 0x20
	EVDStateConfigThreshold EVDState = 0x30
)

// PZSupport: How far zones reach (DAT_PZ_SUPPORT).
type PZSupport uint32

// The values of [PZSupport].
const (
	PZUnique    PZSupport = 0
	PZShareable PZSupport = 2 // 2.0: 1
	PZSame      PZSupport = 1 // 1.2 only
)

// DTOS: Operations, as 2.0 has them in completions (DAT_DTOS).
type DTOS uint32

// The values of [DTOS].
const (
	DTOSend                  DTOS = 0 // 2.0
	DTORDMAWrite             DTOS = 1 // 2.0
	DTORDMARead              DTOS = 2 // 2.0
	DTOReceive               DTOS = 3 // 2.0
	DTOReceiveWithInvalidate DTOS = 4 // 2.0
	DTOBindMW                DTOS = 5 // 2.0
	DTOLMRFMR                DTOS = 6 // 2.0
	DTOLMRInvalidate         DTOS = 7 // 2.0
	DTOExtensionBase         DTOS = 8 // 2.0
)

// VAType: How addresses of a region count (DAT_VA_TYPE).
type VAType uint32

// The values of [VAType].
const (
	VATypeVA VAType = 0 // 2.0
	VATypeZB VAType = 1 // 2.0
)

// RMRScope: Where the key of a window is good (DAT_RMR_SCOPE).
type RMRScope uint32

// The values of [RMRScope].
const (
	RMRScopeEP  RMRScope = 0 // 2.0
	RMRScopePZ  RMRScope = 1 // 2.0
	RMRScopeAny RMRScope = 2 // 2.0
)

// Extension: Families of extensions (DAT_EXTENSION).
type Extension uint32

// The values of [Extension].
const (
	ExtensionNone Extension = 0 // 2.0
	ExtensionIB   Extension = 1 // 2.0
	ExtensionIW   Extension = 2 // 2.0
)

// ProxyType: What a notification object wakes besides waiters
// (DAT_PROXY_TYPE).
type ProxyType uint32

// The values of [ProxyType].
const (
	ProxyTypeNone  ProxyType = 0 // 2.0
	ProxyTypeAgent ProxyType = 1 // 2.0
	ProxyTypeFD    ProxyType = 2 // 2.0
)

// HARelationship: How two adapters stand to each other for high
// availability (DAT_HA_RELATIONSHIP).
type HARelationship uint32

// The values of [HARelationship].
const (
	HAFalse         HARelationship = 0 // 2.0
	HATrue          HARelationship = 1 // 2.0
	HAUnknown       HARelationship = 2 // 2.0
	HAConflicting   HARelationship = 3 // 2.0
	HAExtensionBase HARelationship = 4 // 2.0
)
