package rdma

import "github.com/godapl/godapl/internal/hca"

// Caps are the optional capabilities of an adapter or a connection (uDAPL: DAT_PROVIDER_ATTR).
type Caps struct {
	// Atomics: FetchAdd and CompareSwap.
	Atomics bool
	// WriteImmediate and SendImmediate: the flag WithImmediate.
	WriteImmediate, SendImmediate bool
	// SendInvalidate: Send.Invalidate.
	SendInvalidate bool
	// ZoneWindows and EndpointWindows: the kinds of windows.
	ZoneWindows, EndpointWindows bool
	// SharedReceive: shared receive queues; LowWatermark: their watermark.
	SharedReceive, LowWatermark bool
	// ResizeCompletionQueue: CompletionQueue.Resize.
	ResizeCompletionQueue bool
	// ReadNeedsRemoteWrite: the local memory of a read needs mem.RemoteWrite
	// (uDAPL: rdma_write_for_rdma_read_req).
	ReadNeedsRemoteWrite bool
	// Solicited: EndpointConfig.SolicitedOnly takes effect. Without it every message wakes.
	Solicited bool
	// ReceiveWait: a message that finds no posted receive waits for one, as long as
	// OpenConfig.ReceiveWait. Without it (iWARP devices) such a message ends the connection,
	// so the program needs flow control: tell the sender how many receives are posted.
	ReceiveWait bool
	// Refuse: EndpointConfig.Refuse.
	Refuse bool
}

func capsOf(c hca.Caps) Caps {
	has := func(bit hca.Caps) bool { return c&bit != 0 }
	return Caps{
		Atomics:               has(hca.CapAtomics),
		WriteImmediate:        has(hca.CapWriteImm),
		SendImmediate:         has(hca.CapSendImm),
		SendInvalidate:        has(hca.CapSendInvalidate),
		ZoneWindows:           has(hca.CapZoneWindows),
		EndpointWindows:       has(hca.CapEndpointWindows),
		SharedReceive:         has(hca.CapSRQ),
		LowWatermark:          has(hca.CapSRQLimit),
		ResizeCompletionQueue: has(hca.CapResizeCQ),
		ReadNeedsRemoteWrite:  has(hca.CapReadNeedsWrite),
		Solicited:             has(hca.CapSolicited),
		ReceiveWait:           has(hca.CapReceiveWait),
		Refuse:                has(hca.CapRefuse),
	}
}

// Attributes are the properties and limits of an adapter (uDAPL: DAT_IA_ATTR,
// DAT_PROVIDER_ATTR). A limit of 0 means no limit, or an unknown one. Caps reports whether the
// adapter has windows and shared receive queues at all.
type Attributes struct {
	Name, Vendor, Firmware string
	// Address is the adapter's address, without a service.
	Address string
	Caps    Caps
	// How many objects an adapter may have.
	MaxEndpoints, MaxCompletionQueues, MaxZones int
	MaxRegions, MaxWindows, MaxSharedReceives   int
	// Depths per endpoint, shared receive queue and completion queue.
	MaxSendDepth, MaxRecvDepth, MaxSharedDepth, MaxCompletionDepth int
	// MaxSegments is per send, write or receive, MaxReadSegments per read.
	MaxSegments, MaxReadSegments int
	// MaxMessage is the bytes of a send, MaxTransfer of a read or write,
	// MaxRegion of a region.
	MaxMessage, MaxTransfer, MaxRegion uint64
	// MaxReadsIn and MaxReadsOut limit the reads and atomics in flight per endpoint, of the
	// peer and of this side.
	MaxReadsIn, MaxReadsOut int
	// MaxService is the largest service number: 65535 for devices.
	MaxService uint64
	// MaxPrivateData limits the private data of connects, accepts and rejects, in bytes.
	MaxPrivateData int
	// PrivatePadded: the transport does not carry the length of private data, which arrives
	// padded with zeros (InfiniBand and RoCE). If the length matters, put it into the data.
	PrivatePadded bool
	// Alignment is the preferred alignment of buffers, in bytes.
	Alignment int
}

func attributesOf(a *hca.Attr) Attributes {
	return Attributes{
		Name: a.Name, Vendor: a.Vendor, Firmware: a.Firmware, Address: a.Address, Caps: capsOf(a.Caps),
		MaxEndpoints: a.MaxQP, MaxCompletionQueues: a.MaxCQ, MaxZones: a.MaxPD,
		MaxRegions: a.MaxMR, MaxWindows: a.MaxMW, MaxSharedReceives: a.MaxSRQ,
		MaxSendDepth: a.MaxSendWR, MaxRecvDepth: a.MaxRecvWR, MaxSharedDepth: a.MaxSRQWR, MaxCompletionDepth: a.MaxCQE,
		MaxSegments: a.MaxSGE, MaxReadSegments: a.MaxReadSGE,
		MaxMessage: a.MaxMessage, MaxTransfer: a.MaxRDMA, MaxRegion: a.MaxRegion,
		MaxReadsIn: a.MaxReadsIn, MaxReadsOut: a.MaxReadsOut,
		MaxService: a.MaxService, MaxPrivateData: a.MaxPrivateData, PrivatePadded: a.PrivatePadded, Alignment: a.Alignment,
	}
}
