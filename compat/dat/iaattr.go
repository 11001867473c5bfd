package dat

// IAAttr is the properties and limits of an adapter (DAT_IA_ATTR). The members from
// ZBSupported to ExtensionVersion are 2.0. A limit that the adapter does not have is
// the largest Count.
type IAAttr struct {
	AdapterName                   string
	VendorName                    string
	HardwareVersionMajor          uint32
	HardwareVersionMinor          uint32
	FirmwareVersionMajor          uint32
	FirmwareVersionMinor          uint32
	IAAddressPtr                  IAAddressPtr
	MaxEPS                        Count
	MaxDTOPerEP                   Count
	MaxRDMAReadPerEPIn            Count
	MaxRDMAReadPerEPOut           Count
	MaxEVDS                       Count
	MaxEVDQlen                    Count
	MaxIOVSegmentsPerDTO          Count
	MaxLMRS                       Count
	MaxLMRBlockSize               Vlen
	MaxLMRVirtualAddress          Vaddr
	MaxPZS                        Count
	MaxMessageSize                Vlen
	MaxRDMASize                   Vlen
	MaxRMRS                       Count
	MaxRMRTargetAddress           Vaddr
	MaxSRQS                       Count
	MaxEPPerSRQ                   Count
	MaxRecvPerSRQ                 Count
	MaxIOVSegmentsPerRDMARead     Count
	MaxIOVSegmentsPerRDMAWrite    Count
	MaxRDMAReadIn                 Count
	MaxRDMAReadOut                Count
	MaxRDMAReadPerEPInGuaranteed  Boolean
	MaxRDMAReadPerEPOutGuaranteed Boolean
	ZBSupported                   Boolean
	ExtensionSupported            Extension
	ExtensionVersion              Count
	NumTransportAttr              Count
	TransportAttr                 []NamedAttr
	NumVendorAttr                 Count
	VendorAttr                    []NamedAttr
}

// ProviderAttr is the properties of a provider (DAT_PROVIDER_ATTR). The members from
// RDMAReadLMRRMRContextExposure to HALoadbalancing are 2.0.
type ProviderAttr struct {
	ProviderName                  string
	ProviderVersionMajor          uint32
	ProviderVersionMinor          uint32
	DaplVersionMajor              uint32
	DaplVersionMinor              uint32
	LMRMemTypesSupported          MemType
	IOVOwnershipOnReturn          IOVOwnership
	DatQOSSupported               QOS
	CompletionFlagsSupported      CompletionFlags
	IsThreadSafe                  Boolean
	MaxPrivateDataSize            Count
	SupportsMultipath             Boolean
	EPCreator                     EPCreatorForPSP
	PZSupport                     PZSupport
	OptimalBufferAlignment        uint32
	EVDStreamMergingSupported     [6][6]Boolean
	SRQSupported                  Boolean
	SRQWatermarksSupported        Count
	SRQEPPZDifferenceSupported    Boolean
	SRQInfoSupported              Count
	EPRecvInfoSupported           Count
	LMRSyncReq                    Boolean
	DTOAsyncReturnGuaranteed      Boolean
	RDMAWriteForRDMAReadReq       Boolean
	RDMAReadLMRRMRContextExposure Boolean
	RMRScopeSupported             RMRScope
	IsSignalSafe                  Boolean
	HASupported                   Boolean
	HALoadbalancing               HALB
	NumProviderSpecificAttr       Count
	ProviderSpecificAttr          []NamedAttr
}
