package iwarp

import "encoding/binary"

// TerminateSize is the bytes of a Terminate's payload up to its header parts.
const TerminateSize = 4

// Header parts of a Terminate, in its third byte.
const (
	partLength = 0x80 // M: DDP Segment Length is valid
	partDDP    = 0x40 // D
	partRDMAP  = 0x20 // R

	partsRFC = partLength | partDDP | partRDMAP
	partsSIW = 0x07 // the position in the Linux siw driver: M, D, R from the low end
)

// Terminate is the last message of a stream, and says why it ends (RFC 5040, 4.8).
type Terminate struct {
	Cause Cause
	// HasLength reports whether SegmentLength is valid: the length of the offending
	// segment in bytes. Peers disagree about what it includes.
	HasLength     bool
	SegmentLength uint16
	// DDP is the header of the offending segment, 14 or 18 bytes, or nil.
	DDP []byte
	// ReadRequest is the body of the offending Read Request, 28 bytes, or nil.
	ReadRequest []byte

	// The following fields are set by ParseTerminate.

	Raw [TerminateSize]byte // the first bytes, as received
	// SIW: it has the form that siw sends on little-endian machines.
	SIW bool
	// Truncated: the message ends within the parts that it announces.
	Truncated bool
}

// NewTerminate makes the Terminate for an offending ULPDU. It includes the parts of the
// ULPDU's header that the cause requires, and never payload. ulpdu may be nil; its memory
// is shared. The first 46 bytes of the ULPDU are enough; length is the length of the whole.
func NewTerminate(cause Cause, ulpdu []byte, length int) Terminate {
	t := Terminate{Cause: cause}
	if !cause.quotes() || len(ulpdu) == 0 || len(ulpdu) < HeaderLen(ulpdu[0]) {
		return t
	}
	n := HeaderLen(ulpdu[0])
	t.HasLength, t.SegmentLength = true, uint16(length)
	t.DDP = ulpdu[:n:n]
	request := n == UntaggedHeaderSize && Opcode(ulpdu[1]&rdmapOpcodeMask) == OpReadRequest
	end := n + ReadRequestSize
	if request && len(ulpdu) >= end && cause.Layer() == LayerRDMAP && cause.EType() == ETypeProtection {
		t.ReadRequest = ulpdu[n:end:end]
	}
	return t
}

// quotes reports whether a Terminate of this cause includes headers. It does not if the
// segment is not at fault (all causes of MPA have type 0 too), or if the layout of the
// segment cannot be trusted.
func (c Cause) quotes() bool {
	switch c {
	case CauseOpVersion, CauseTaggedVersion, CauseUntaggedVersion:
		return false
	}
	return c.EType() != ETypeLocal
}

// AppendTerminate appends the whole FPDU of a Terminate, in the form of the RFC. A side
// sends at most one, and nothing after it.
func AppendTerminate(dst []byte, t *Terminate, crc bool) []byte {
	start := len(dst)
	dst = AppendUntaggedHeader(dst, single(OpTerminate, FirstMSN), 0)
	return FinishFPDU(t.AppendBody(dst), start, crc)
}

// AppendBody appends the payload of a Terminate: 4, 20, 24 or 52 bytes as
// NewTerminate makes it.
func (t *Terminate) AppendBody(dst []byte) []byte {
	parts := bit(t.HasLength, partLength) | bit(t.DDP != nil, partDDP) | bit(t.ReadRequest != nil, partRDMAP)
	dst = binary.BigEndian.AppendUint16(dst, uint16(t.Cause))
	dst = append(dst, byte(parts), 0)
	if parts&(partLength|partDDP) != 0 {
		dst = binary.BigEndian.AppendUint16(dst, t.SegmentLength)
	}
	dst = append(dst, t.DDP...)
	return append(dst, t.ReadRequest...)
}

// String names the cause, and ends with its numbers: layer, type and code.
func (t *Terminate) String() string { return t.Cause.String() }
