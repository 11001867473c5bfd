package iwarp

import "encoding/binary"

// Sizes of atomic messages' payloads (RFC 7306, 5).
const (
	AtomicRequestSize  = 52
	AtomicResponseSize = 12
)

// AtomicOp is what an Atomic Request does.
type AtomicOp uint8

const (
	AtomicFetchAdd    AtomicOp = 0
	AtomicCompareSwap AtomicOp = 2
)

// AtomicRequest asks for one operation on eight bytes at the responder, which are a
// number in the responder's own byte order. The response carries the same ID.
type AtomicRequest struct {
	Op   AtomicOp
	ID   uint32
	STag STag
	TO   TO // a multiple of 8
	// Operand is the addend or the new value. A 1 bit in Mask ends a carry at that
	// position for AtomicFetchAdd, and selects a bit to replace for AtomicCompareSwap.
	Operand, Mask uint64
	// Compare is what the bits selected by CompareMask must equal. Both are transmitted
	// but meaningless for AtomicFetchAdd.
	Compare, CompareMask uint64
}

// AtomicResponse carries the value before the operation.
type AtomicResponse struct {
	ID       uint32
	Original uint64
}

// Apply is the value after the operation on old.
func (r *AtomicRequest) Apply(old uint64) uint64 {
	switch r.Op {
	case AtomicFetchAdd:
		// Add the top bits of the fields separately, so that their carries are
		// discarded.
		return (old&^r.Mask + r.Operand&^r.Mask) ^ (old^r.Operand)&r.Mask
	case AtomicCompareSwap:
		if (old^r.Compare)&r.CompareMask == 0 {
			return old&^r.Mask | r.Operand&r.Mask
		}
	}
	return old
}

// AtomicOpOf is the operation that the payload of an Atomic Request asks for, also if the rest of it is malformed.
func AtomicOpOf(body []byte) AtomicOp { return AtomicOp(body[3] & 0xf) }

// ParseAtomicRequest parses the payload of an Atomic Request.
func ParseAtomicRequest(body []byte, r *AtomicRequest) error {
	if len(body) != AtomicRequestSize {
		return ErrAtomicSize
	}
	op, to := AtomicOpOf(body), TO(binary.BigEndian.Uint64(body[12:]))
	switch {
	case op != AtomicFetchAdd && op != AtomicCompareSwap:
		return ErrAtomicOp
	case to%8 != 0:
		return ErrAtomicAlign
	}
	*r = AtomicRequest{
		Op:          op,
		ID:          binary.BigEndian.Uint32(body[4:]),
		STag:        STag(binary.BigEndian.Uint32(body[8:])),
		TO:          to,
		Operand:     binary.BigEndian.Uint64(body[20:]),
		Mask:        binary.BigEndian.Uint64(body[28:]),
		Compare:     binary.BigEndian.Uint64(body[36:]),
		CompareMask: binary.BigEndian.Uint64(body[44:]),
	}
	return nil
}

// ParseAtomicResponse parses the payload of an Atomic Response.
func ParseAtomicResponse(body []byte, r *AtomicResponse) error {
	if len(body) != AtomicResponseSize {
		return ErrAtomicSize
	}
	*r = AtomicResponse{ID: binary.BigEndian.Uint32(body), Original: binary.BigEndian.Uint64(body[4:])}
	return nil
}

// AppendAtomicRequest appends the whole FPDU of an Atomic Request, 76 bytes.
func AppendAtomicRequest(dst []byte, msn MSN, r *AtomicRequest, crc bool) []byte {
	start := len(dst)
	dst = AppendUntaggedHeader(dst, single(OpAtomicRequest, msn), AtomicRequestSize)
	dst = binary.BigEndian.AppendUint32(dst, uint32(r.Op))
	dst = binary.BigEndian.AppendUint32(dst, r.ID)
	dst = binary.BigEndian.AppendUint32(dst, uint32(r.STag))
	for _, v := range [...]uint64{uint64(r.TO), r.Operand, r.Mask, r.Compare, r.CompareMask} {
		dst = binary.BigEndian.AppendUint64(dst, v)
	}
	return FinishFPDU(dst, start, crc)
}

// AppendAtomicResponse appends the whole FPDU of an Atomic Response, 36 bytes.
func AppendAtomicResponse(dst []byte, msn MSN, r AtomicResponse, crc bool) []byte {
	start := len(dst)
	dst = AppendUntaggedHeader(dst, single(OpAtomicResponse, msn), AtomicResponseSize)
	dst = binary.BigEndian.AppendUint32(dst, r.ID)
	dst = binary.BigEndian.AppendUint64(dst, r.Original)
	return FinishFPDU(dst, start, crc)
}
