package dat

import (
	"math"
	"strconv"
	"strings"
)

// IAQuery returns the properties of an adapter (dat_ia_query). Outputs may be nil.
// *asyncEVDHandle is [EVDOutOfScope] if another open has the errors, also because the
// dispatcher that was given to this open has ended with the adapter that made it.
func IAQuery(iaHandle IAHandle, asyncEVDHandle *EVDHandle, iaAttrMask IAAttrMask, iaAttributes *IAAttr, providerAttrMask ProviderAttrMask, providerAttributes *ProviderAttr) Return {
	a := getIA(iaHandle)
	if a == nil {
		return badIA
	}
	switch {
	case iaAttrMask&^(IAFieldAll|IAFieldIAZBSupported|IAFieldIAExtension|IAFieldIAExtensionVersion) != 0:
		return badArg(3)
	case iaAttrMask != 0 && iaAttributes == nil:
		return badArg(4)
	case providerAttrMask&^(ProviderFieldAll|providerField20) != 0:
		return badArg(5)
	case providerAttrMask != 0 && providerAttributes == nil:
		return badArg(6)
	}
	if asyncEVDHandle != nil {
		*asyncEVDHandle = EVDOutOfScope
		if d := a.own(); d != nil {
			*asyncEVDHandle = EVDHandle(d.handle)
		}
	}
	if iaAttributes != nil && iaAttrMask != 0 {
		*iaAttributes = a.attributes()
	}
	if providerAttributes != nil && providerAttrMask != 0 {
		*providerAttributes = a.providerAttributes()
	}
	return Success
}

const providerField20 = ProviderFieldRDMAReadLMRRMRContextExposure | ProviderFieldRMRScopeSupported |
	ProviderFieldIsSignalSafe | ProviderFieldHASupported | ProviderFieldHALB

// most is a limit as a Count, where 0 is none.
func most(n int) Count {
	if n <= 0 || n > math.MaxInt32 {
		return math.MaxInt32
	}
	return Count(n)
}

func (a *ia) attributes() IAAttr {
	at := &a.attr
	major, minor := version(at.Firmware)
	named := []NamedAttr{
		{IBAttrFetchAndAdd, attrBool(at.Caps.Atomics)}, {IBAttrCmpAndSwap, attrBool(at.Caps.Atomics)},
		{IBAttrImmedData, attrBool(at.Caps.WriteImmediate)}, {IBAttrUD, "FALSE"}, {IBAttrCounters, "FALSE"},
	}
	x := IAAttr{
		AdapterName: a.name, VendorName: at.Vendor, FirmwareVersionMajor: major, FirmwareVersionMinor: minor,
		IAAddressPtr: a.address, MaxEPS: most(at.MaxEndpoints), MaxDTOPerEP: min(most(at.MaxSendDepth), most(at.MaxRecvDepth)),
		MaxRDMAReadPerEPIn: most(at.MaxReadsIn), MaxRDMAReadPerEPOut: most(at.MaxReadsOut),
		MaxEVDS: most(at.MaxCompletionQueues), MaxEVDQlen: most(at.MaxCompletionDepth), MaxIOVSegmentsPerDTO: most(at.MaxSegments),
		MaxLMRS: most(at.MaxRegions), MaxLMRBlockSize: limitLen(at.MaxRegion), MaxLMRVirtualAddress: math.MaxUint64,
		MaxPZS: most(at.MaxZones), MaxMessageSize: limitLen(at.MaxMessage), MaxRDMASize: limitLen(at.MaxTransfer),
		MaxRMRS: most(at.MaxWindows), MaxRMRTargetAddress: math.MaxUint64,
		MaxSRQS: most(at.MaxSharedReceives), MaxEPPerSRQ: most(at.MaxEndpoints), MaxRecvPerSRQ: most(at.MaxSharedDepth),
		MaxIOVSegmentsPerRDMARead: most(at.MaxReadSegments), MaxIOVSegmentsPerRDMAWrite: most(at.MaxSegments),
		MaxRDMAReadIn: math.MaxInt32, MaxRDMAReadOut: math.MaxInt32,
		MaxRDMAReadPerEPInGuaranteed: True, MaxRDMAReadPerEPOutGuaranteed: True,
		NumTransportAttr: Count(len(named)), TransportAttr: named,
	}
	if at.Caps.Atomics || at.Caps.WriteImmediate {
		x.ExtensionSupported, x.ExtensionVersion = ExtensionIB, IBExtensionVersion
	}
	return x
}

func attrBool(b bool) string { return strings.ToUpper(strconv.FormatBool(b)) }

// version takes major.minor apart, as far as it can.
func version(s string) (major, minor uint32) {
	a, b, _ := strings.Cut(s, ".")
	x, _ := strconv.ParseUint(a, 10, 32)
	y, _ := strconv.ParseUint(b, 10, 32)
	return uint32(x), uint32(y)
}

func (a *ia) providerAttributes() ProviderAttr {
	at := &a.attr
	x := ProviderAttr{
		ProviderName: at.Vendor, ProviderVersionMajor: 1, DaplVersionMajor: a.entry.info.DaplVersionMajor,
		DaplVersionMinor:     a.entry.info.DaplVersionMinor,
		LMRMemTypesSupported: MemTypeVirtual | MemTypeLMR | MemTypeSharedVirtual,
		IOVOwnershipOnReturn: IOVConsumer, DatQOSSupported: QOSBestEffort,
		CompletionFlagsSupported: sendFlags, IsThreadSafe: True, MaxPrivateDataSize: Count(at.MaxPrivateData),
		EPCreator: PSPCreatesEPIfasked, PZSupport: PZUnique, OptimalBufferAlignment: uint32(at.Alignment),
		SRQSupported:     Boolean(at.Caps.SharedReceive),
		SRQInfoSupported: 0x11, EPRecvInfoSupported: 0x11, DTOAsyncReturnGuaranteed: True,
		RDMAWriteForRDMAReadReq:       Boolean(at.Caps.ReadNeedsRemoteWrite),
		RDMAReadLMRRMRContextExposure: Boolean(at.Caps.ReadNeedsRemoteWrite),
		RMRScopeSupported:             RMRScopeAny,
	}
	if x.SRQSupported {
		x.SRQWatermarksSupported = 0x110
		if at.Caps.LowWatermark {
			x.SRQWatermarksSupported |= 0x001
		}
	}
	for i := range x.EVDStreamMergingSupported {
		for j := range x.EVDStreamMergingSupported[i] {
			x.EVDStreamMergingSupported[i][j] = True
		}
	}
	return x
}
