package dat

// IAAttrMask: Members of [IAAttr], for dat_ia_query (DAT_IA_ATTR_MASK).
type IAAttrMask uint64

// The values of [IAAttrMask].
const (
	IAFieldIAMaxMTUSize                    IAAttrMask = 0x40000
	IAFieldIAAdapterName                   IAAttrMask = 0x1
	IAFieldIAVendorName                    IAAttrMask = 0x2
	IAFieldIAHardwareMajorVersion          IAAttrMask = 0x4
	IAFieldIAHardwareMinorVersion          IAAttrMask = 0x8
	IAFieldIAFirmwareMajorVersion          IAAttrMask = 0x10
	IAFieldIAFirmwareMinorVersion          IAAttrMask = 0x20
	IAFieldIAAddressPtr                    IAAttrMask = 0x40
	IAFieldIAMaxEPS                        IAAttrMask = 0x80
	IAFieldIAMaxDTOPerEP                   IAAttrMask = 0x100
	IAFieldIAMaxRDMAReadPerEPIn            IAAttrMask = 0x200
	IAFieldIAMaxRDMAReadPerEPOut           IAAttrMask = 0x400
	IAFieldIAMaxEVDS                       IAAttrMask = 0x800
	IAFieldIAMaxEVDQlen                    IAAttrMask = 0x1000
	IAFieldIAMaxIOVSegmentsPerDTO          IAAttrMask = 0x2000
	IAFieldIAMaxLMRS                       IAAttrMask = 0x4000
	IAFieldIAMaxLMRBlockSize               IAAttrMask = 0x8000
	IAFieldIAMaxLMRVirtualAddress          IAAttrMask = 0x10000
	IAFieldIAMaxPZS                        IAAttrMask = 0x20000
	IAFieldIAMaxMessageSize                IAAttrMask = 0x40000
	IAFieldIAMaxRDMASize                   IAAttrMask = 0x80000
	IAFieldIAMaxRMRS                       IAAttrMask = 0x100000
	IAFieldIAMaxRMRTargetAddress           IAAttrMask = 0x200000
	IAFieldIAMaxSRQS                       IAAttrMask = 0x400000
	IAFieldIAMaxEPPerSRQ                   IAAttrMask = 0x800000
	IAFieldIAMaxRecvPerSRQ                 IAAttrMask = 0x1000000
	IAFieldIAMaxIOVSegmentsPerRDMARead     IAAttrMask = 0x2000000
	IAFieldIAMaxIOVSegmentsPerRDMAWrite    IAAttrMask = 0x4000000
	IAFieldIAMaxRDMAReadIn                 IAAttrMask = 0x8000000
	IAFieldIAMaxRDMAReadOut                IAAttrMask = 0x10000000
	IAFieldIAMaxRDMAReadPerEPInGuaranteed  IAAttrMask = 0x20000000
	IAFieldIAMaxRDMAReadPerEPOutGuaranteed IAAttrMask = 0x40000000
	IAFieldNone                            IAAttrMask = 0x0
	IAFieldIANumTransportAttr              IAAttrMask = 0x80000000   // 2.0: 0x400000000
	IAFieldIATransportAttr                 IAAttrMask = 0x100000000  // 2.0: 0x800000000
	IAFieldIANumVendorAttr                 IAAttrMask = 0x200000000  // 2.0: 0x1000000000
	IAFieldIAVendorAttr                    IAAttrMask = 0x400000000  // 2.0: 0x2000000000
	IAFieldAll                             IAAttrMask = 0x7ffffffff  // 2.0: 0x3fffffffff
	IAFieldIAZBSupported                   IAAttrMask = 0x800000000  // 2.0, where it is 0x80000000
	IAFieldIAExtensionsSupported           IAAttrMask = 0x1000000000 // 2.0, where it is 0x100000000
	IAFieldIAExtension                     IAAttrMask = 0x1000000000 // 2.0, where it is 0x100000000
	IAFieldIAExtensionVersion              IAAttrMask = 0x2000000000 // 2.0, where it is 0x200000000
)

// ProviderAttrMask: Members of [ProviderAttr], for dat_ia_query
// (DAT_PROVIDER_ATTR_MASK).
type ProviderAttrMask uint64

// The values of [ProviderAttrMask].
const (
	ProviderFieldProviderName                  ProviderAttrMask = 0x1
	ProviderFieldProviderVersionMajor          ProviderAttrMask = 0x2
	ProviderFieldProviderVersionMinor          ProviderAttrMask = 0x4
	ProviderFieldDaplVersionMajor              ProviderAttrMask = 0x8
	ProviderFieldDaplVersionMinor              ProviderAttrMask = 0x10
	ProviderFieldLMRMemTypeSupported           ProviderAttrMask = 0x20
	ProviderFieldIOVOwnership                  ProviderAttrMask = 0x40
	ProviderFieldDatQOSSupported               ProviderAttrMask = 0x80
	ProviderFieldCompletionFlagsSupported      ProviderAttrMask = 0x100
	ProviderFieldIsThreadSafe                  ProviderAttrMask = 0x200
	ProviderFieldMaxPrivateDataSize            ProviderAttrMask = 0x400
	ProviderFieldSupportsMultipath             ProviderAttrMask = 0x800
	ProviderFieldEPCreator                     ProviderAttrMask = 0x1000
	ProviderFieldPZSupport                     ProviderAttrMask = 0x2000
	ProviderFieldOptimalBufferAlignment        ProviderAttrMask = 0x4000
	ProviderFieldEVDStreamMergingSupported     ProviderAttrMask = 0x8000
	ProviderFieldSRQSupported                  ProviderAttrMask = 0x10000
	ProviderFieldSRQWatermarksSupported        ProviderAttrMask = 0x20000
	ProviderFieldSRQEPPZDifferenceSupported    ProviderAttrMask = 0x40000
	ProviderFieldSRQInfoSupported              ProviderAttrMask = 0x80000
	ProviderFieldEPRecvInfoSupported           ProviderAttrMask = 0x100000
	ProviderFieldLMRSyncReq                    ProviderAttrMask = 0x200000
	ProviderFieldDTOAsyncReturnGuaranteed      ProviderAttrMask = 0x400000
	ProviderFieldRDMAWriteForRDMAReadReq       ProviderAttrMask = 0x800000
	ProviderFieldNumProviderSpecificAttr       ProviderAttrMask = 0x1000000 // 2.0: 0x20000000
	ProviderFieldProviderSpecificAttr          ProviderAttrMask = 0x2000000 // 2.0: 0x40000000
	ProviderFieldAll                           ProviderAttrMask = 0x3ffffff // 2.0: 0x7fffffff
	ProviderFieldNone                          ProviderAttrMask = 0x0
	ProviderFieldRDMAReadLMRRMRContextExposure ProviderAttrMask = 0x4000000  // 2.0, where it is 0x1000000
	ProviderFieldRMRScopeSupported             ProviderAttrMask = 0x8000000  // 2.0, where it is 0x2000000
	ProviderFieldIsSignalSafe                  ProviderAttrMask = 0x10000000 // 2.0, where it is 0x4000000
	ProviderFieldHASupported                   ProviderAttrMask = 0x20000000 // 2.0, where it is 0x8000000
	ProviderFieldHALB                          ProviderAttrMask = 0x40000000 // 2.0, where it is 0x10000000
)
