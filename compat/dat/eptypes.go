package dat

// EPAttr describes an endpoint (DAT_EP_ATTR).
type EPAttr struct {
	// ServiceType is [ServiceTypeRC].
	ServiceType ServiceType
	// MaxMessageSize bounds sends and receives, MaxRDMASize reads and writes.
	MaxMessageSize Vlen
	MaxRDMASize    Vlen
	// QOS is [QOSBestEffort].
	QOS QOS
	// RecvCompletionFlags is one of 0, UNSIGNALLED, SOLICITED_WAIT and
	// EVD_THRESHOLD; RequestCompletionFlags one of 0, UNSIGNALLED, EVD_THRESHOLD.
	RecvCompletionFlags    CompletionFlags
	RequestCompletionFlags CompletionFlags
	// MaxRecvDTOS and MaxRequestDTOS are how much may be posted at a time,
	// MaxRecvIOV and MaxRequestIOV how many segments a receive or send has.
	MaxRecvDTOS    Count
	MaxRequestDTOS Count
	MaxRecvIOV     Count
	MaxRequestIOV  Count
	// MaxRDMAReadIn and MaxRDMAReadOut are the reads under way at a time, of the
	// peer and of this side. 0 is none.
	MaxRDMAReadIn  Count
	MaxRDMAReadOut Count
	// SRQSoftHW is the first soft high watermark of an endpoint with a shared receive queue;
	// [HWDefault] is off. Without such a queue it is ignored, and says what [EPSetWatermark]
	// has set.
	SRQSoftHW Count
	// MaxRDMAReadIOV and MaxRDMAWriteIOV are segments per read and write.
	MaxRDMAReadIOV           Count
	MaxRDMAWriteIOV          Count
	EPTransportSpecificCount Count
	EPTransportSpecific      []NamedAttr
	EPProviderSpecificCount  Count
	EPProviderSpecific       []NamedAttr
}

// EPParam is read by dat_ep_query and set by dat_ep_modify (DAT_EP_PARAM). Comm is 2.0.
// The peer's addresses and qualifiers are nil and 0 in states without a peer.
type EPParam struct {
	IAHandle           IAHandle
	EPState            EPState
	Comm               Comm
	LocalIAAddressPtr  IAAddressPtr
	LocalPortQual      PortQual
	RemoteIAAddressPtr IAAddressPtr
	RemotePortQual     PortQual
	PZHandle           PZHandle
	RecvEVDHandle      EVDHandle
	RequestEVDHandle   EVDHandle
	ConnectEVDHandle   EVDHandle
	SRQHandle          SRQHandle
	EPAttr             EPAttr
}
