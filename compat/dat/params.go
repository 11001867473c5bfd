package dat

// What the query calls fill. Members stand in the order of the C headers.

// EVDParam is the result of dat_evd_query (DAT_EVD_PARAM).
type EVDParam struct {
	IAHandle  IAHandle
	EVDQlen   Count
	EVDState  EVDState
	CNOHandle CNOHandle
	EVDFlags  EVDFlags
}

// CNOParam is the result of dat_cno_query (DAT_CNO_PARAM). ProxyType and FD are
// 2.0, where they and Agent are in a union.
type CNOParam struct {
	IAHandle  IAHandle
	Agent     OsWaitProxyAgent
	ProxyType ProxyType
	FD        FD
}

// PZParam is the result of dat_pz_query (DAT_PZ_PARAM).
type PZParam struct{ IAHandle IAHandle }

// PSPParam is the result of dat_psp_query (DAT_PSP_PARAM).
type PSPParam struct {
	IAHandle  IAHandle
	ConnQual  ConnQual
	EVDHandle EVDHandle
	PSPFlags  PSPFlags
}

// RSPParam is the result of dat_rsp_query (DAT_RSP_PARAM).
type RSPParam struct {
	IAHandle  IAHandle
	ConnQual  ConnQual
	EVDHandle EVDHandle
	EPHandle  EPHandle
}

// CSPParam is the result of dat_csp_query (DAT_CSP_PARAM). 2.0.
type CSPParam struct {
	IAHandle   IAHandle
	Comm       *Comm
	AddressPtr IAAddressPtr
	EVDHandle  EVDHandle
}

// CRParam is the result of dat_cr_query (DAT_CR_PARAM). The private data is valid
// until the request is answered. LocalEPHandle is null if the request has no
// endpoint.
type CRParam struct {
	RemoteIAAddressPtr IAAddressPtr
	RemotePortQual     PortQual
	PrivateDataSize    Count
	PrivateData        []byte
	LocalEPHandle      EPHandle
}

// SharedMemory is memory that processes share (DAT_SHARED_MEMORY).
type SharedMemory struct {
	VirtualAddress []byte
	SharedMemoryID *LMRCookie
}

// RegionDescription says what dat_lmr_create registers (DAT_REGION_DESCRIPTION, a
// union in C): the member that the memory type wants.
type RegionDescription struct {
	ForVA           []byte
	ForLMRHandle    LMRHandle
	ForSharedMemory SharedMemory
}

// LMRParam is the result of dat_lmr_query (DAT_LMR_PARAM). VAType is 2.0.
type LMRParam struct {
	IAHandle          IAHandle
	MemType           MemType
	RegionDesc        RegionDescription
	Length            Vlen
	PZHandle          PZHandle
	MemPriv           MemPrivFlags
	VAType            VAType
	LMRContext        LMRContext
	RMRContext        RMRContext
	RegisteredSize    Vlen
	RegisteredAddress Vaddr
}

// RMRParam is the result of dat_rmr_query (DAT_RMR_PARAM). RMRScope and VAType are
// 2.0. For an unbound window only the adapter, the zone and the scope are
// meaningful.
type RMRParam struct {
	IAHandle   IAHandle
	PZHandle   PZHandle
	LMRTriplet LMRTriplet
	MemPriv    MemPrivFlags
	RMRContext RMRContext
	RMRScope   RMRScope
	VAType     VAType
}

// SRQAttr describes a shared receive queue (DAT_SRQ_ATTR).
type SRQAttr struct {
	MaxRecvDTOS  Count
	MaxRecvIOV   Count
	LowWatermark Count
}

// SRQParam is the result of dat_srq_query (DAT_SRQ_PARAM).
type SRQParam struct {
	IAHandle            IAHandle
	SRQState            SRQState
	PZHandle            PZHandle
	MaxRecvDTOS         Count
	MaxRecvIOV          Count
	LowWatermark        Count
	AvailableDTOCount   Count
	OutstandingDTOCount Count
}

// ProviderInfo is an entry of the registry (DAT_PROVIDER_INFO).
type ProviderInfo struct {
	IAName           string
	DaplVersionMajor uint32
	DaplVersionMinor uint32
	IsThreadSafe     Boolean
}
