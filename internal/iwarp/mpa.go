package iwarp

// Sizes of start-up frames, in bytes (RFC 5044, 7.1).
const (
	KeySize         = 16
	FrameHeaderSize = 20
	EnhancedSize    = 4 // of the private data, in enhanced frames (RFC 6581)
	// MaxPrivate includes the enhanced block. Peers may accept less: the Linux siw
	// driver and one family of hardware refuse more than 256.
	MaxPrivate  = 512
	MaxFrameLen = FrameHeaderSize + MaxPrivate
)

const (
	keyRequest = "MPA ID Req Frame"
	keyReply   = "MPA ID Rep Frame"
)

// Flags byte of a frame, and the two words of the enhanced block.
const (
	flagMarkers  = 0x80
	flagCRC      = 0x40
	flagReject   = 0x20
	flagEnhanced = 0x10

	wordHigh  = 0x8000 // A in the first word, C in the second
	wordLow   = 0x4000 // B, D
	wordDepth = 0x3fff
)

// Revision of MPA.
type Revision uint8

const (
	Revision1 Revision = 1 // RFC 5044
	Revision2 Revision = 2 // RFC 6581
)

// Depth is a number of Read and atomic requests.
type Depth uint16

// NotNegotiated in place of a depth leaves it to the programs. Some peers take
// the number literally.
const NotNegotiated Depth = 0x3fff

// RTR is a set of frames that can be the initiator's first in the peer-to-peer model:
// the request offers a set, the reply selects one. The frame carries no data and
// reaches no program.
type RTR uint8

const (
	RTRSend  RTR = 1 << iota // B: zero-length Send
	RTRWrite                 // C: zero-length RDMA Write
	RTRRead                  // D: zero-length RDMA Read
)

// Frame is a request or a reply.
type Frame struct {
	Revision Revision
	// Markers: the sender of this frame wants to receive markers.
	Markers bool
	// CRC: the sender wants CRCs. They are used if either side wants them.
	CRC bool
	// Reject makes a reply a refusal. In a request it is neither parsed nor sent.
	Reject bool
	// Enhanced: the frame has the fields below. Revision 2 only.
	Enhanced   bool
	PeerToPeer bool // A: the initiator will send an RTR frame first
	RTR        RTR
	// IRD is how many Read and atomic requests of the peer the sender can hold at a
	// time, ORD how many of its own it wants to have outstanding.
	IRD, ORD Depth
	// Private is the consumers' data, without the enhanced block.
	Private []byte
}
