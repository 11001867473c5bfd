package rdma

import "github.com/godapl/godapl/internal/hca"

// Caps says what an adapter or a connection can do beyond the basics.
type Caps struct {
	// Atomics: FetchAdd and CompareSwap.
	Atomics bool
	// WriteImmediate and SendImmediate: the flag WithImmediate.
	WriteImmediate, SendImmediate bool
	// SendInvalidate: Send.Invalidate.
	SendInvalidate bool
	// ZoneWindows and EndpointWindows: kinds of windows.
	ZoneWindows, EndpointWindows bool
	// SharedReceive: shared receive queues; LowWatermark: their watermark.
	SharedReceive, LowWatermark bool
	// ResizeCompletionQueue: CompletionQueue.Resize.
	ResizeCompletionQueue bool
	// ReadNeedsRemoteWrite: the local memory of a read needs mem.RemoteWrite
	// (uDAPL: rdma_write_for_rdma_read_req).
	ReadNeedsRemoteWrite bool
	// Solicited: Endpoints that want to be woken by solicited messages only are.
	// Without it every message wakes.
	Solicited bool
	// ReceiveWait: a message that finds no receive posted waits for one, as
	// OpenConfig.ReceiveWait has it. Without it (iWARP devices) such a message ends
	// the connection: let the sender know how many receives there are.
	ReceiveWait bool
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
	}
}

// Attributes is what an adapter is and how much it has (uDAPL: DAT_IA_ATTR,
// DAT_PROVIDER_ATTR). A limit of 0 says that there is none, or that
// the adapter does not tell one; whether it has windows and shared receive queues at
// all, Caps says.
type Attributes struct {
	Name, Vendor, Firmware string
	// Address is the adapter's, without service.
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
	// MaxReadsIn and MaxReadsOut are the reads and atomics under way at a time,
	// per endpoint, of the peer and of this side.
	MaxReadsIn, MaxReadsOut int
	// MaxService is the largest number of a service: 65535 for devices.
	MaxService uint64
	// MaxPrivateData is the bytes that go with connects, accepts and rejects.
	MaxPrivateData int
	// PrivatePadded: the transport does not tell how long private data is, and it
	// arrives with zeros behind it (InfiniBand and RoCE). Put the length into it
	// if it matters.
	PrivatePadded bool
	// Alignment is what buffers are best aligned to.
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
