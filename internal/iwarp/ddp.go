package iwarp

import (
	"encoding/binary"
	"slices"
)

// Sizes of DDP headers, the RDMAP control byte in them included (RFC 5041, 4).
const (
	TaggedHeaderSize   = 14
	UntaggedHeaderSize = 18
)

// Control byte of a segment.
const (
	ddpTagged      = 0x80
	ddpLast        = 0x40
	ddpVersionMask = 0x03
	ddpVersion     = 0x01
)

// STag names a buffer at the receiver.
type STag uint32

// TO is an offset in the address space of a tagged buffer.
type TO uint64

// QN is the queue of an untagged message.
type QN uint32

const (
	QueueSend      QN = 0 // Sends and Immediate Data
	QueueRequest   QN = 1 // Read and Atomic Requests
	QueueTerminate QN = 2
	QueueAtomic    QN = 3 // Atomic Responses

	queues = 4
)

// MSN numbers the messages of one queue in one direction. It wraps to 0.
type MSN uint32

// FirstMSN is the number of the first message.
const FirstMSN MSN = 1

// MO is the offset of a segment's payload in its message.
type MO uint32

// MaxMessage is the longest untagged message, in bytes.
const MaxMessage = 1<<32 - 1

// TaggedHeader is the header of a segment that names its destination: STag and offset.
type TaggedHeader struct {
	Op   Opcode
	Last bool
	STag STag
	TO   TO
}

// UntaggedHeader is the header of a segment for a queue.
type UntaggedHeader struct {
	Op      Opcode
	Last    bool
	InvSTag STag // to invalidate, for OpSendInv and OpSendSEInv; else 0
	QN      QN
	MSN     MSN
	MO      MO
}

// HeaderLen is the length in bytes of a header that begins with this control byte.
func HeaderLen(control byte) int {
	if control&ddpTagged != 0 {
		return TaggedHeaderSize
	}
	return UntaggedHeaderSize
}

// AppendTaggedHeader begins an FPDU: it appends length field and header, 16 bytes. The
// payload is not appended: the caller sends it from where it is. It panics if payload is
// more than TaggedPayload(MaxULPDU).
func AppendTaggedHeader(dst []byte, h TaggedHeader, payload int) []byte {
	n := TaggedHeaderSize + payload
	checkULPDU(n)
	const size = LengthSize + TaggedHeaderSize
	dst = slices.Grow(dst, size)
	b := dst[len(dst) : len(dst)+size]
	binary.BigEndian.PutUint16(b[0:], uint16(n))
	b[2] = ddpTagged | lastBit(h.Last) | ddpVersion
	b[3] = rdmapVersion | byte(h.Op)
	binary.BigEndian.PutUint32(b[4:], uint32(h.STag))
	binary.BigEndian.PutUint64(b[8:], uint64(h.TO))
	return dst[:len(dst)+size]
}

// AppendUntaggedHeader begins an FPDU: length field and header, 20 bytes. It
// panics if the payload is longer than UntaggedPayload(MaxULPDU).
func AppendUntaggedHeader(dst []byte, h UntaggedHeader, payload int) []byte {
	n := UntaggedHeaderSize + payload
	checkULPDU(n)
	const size = LengthSize + UntaggedHeaderSize
	dst = slices.Grow(dst, size)
	b := dst[len(dst) : len(dst)+size]
	binary.BigEndian.PutUint16(b[0:], uint16(n))
	b[2] = lastBit(h.Last) | ddpVersion
	b[3] = rdmapVersion | byte(h.Op)
	binary.BigEndian.PutUint32(b[4:], uint32(h.InvSTag))
	binary.BigEndian.PutUint32(b[8:], uint32(h.QN))
	binary.BigEndian.PutUint32(b[12:], uint32(h.MSN))
	binary.BigEndian.PutUint32(b[16:], uint32(h.MO))
	return dst[:len(dst)+size]
}

// AppendTagged appends a whole FPDU. It panics as AppendTaggedHeader does.
func AppendTagged(dst []byte, h TaggedHeader, payload []byte, crc bool) []byte {
	start := len(dst)
	dst = AppendTaggedHeader(dst, h, len(payload))
	return FinishFPDU(append(dst, payload...), start, crc)
}

// AppendUntagged appends a whole FPDU. It panics as AppendUntaggedHeader does.
func AppendUntagged(dst []byte, h UntaggedHeader, payload []byte, crc bool) []byte {
	start := len(dst)
	dst = AppendUntaggedHeader(dst, h, len(payload))
	return FinishFPDU(append(dst, payload...), start, crc)
}

func lastBit(last bool) byte {
	if last {
		return ddpLast
	}
	return 0
}
