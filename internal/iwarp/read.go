package iwarp

import "encoding/binary"

// ReadRequestSize is the size in bytes of a Read Request's payload, which consists of
// this header alone.
const ReadRequestSize = 28

// ReadRequest asks for a Read Response (RFC 5040, 4.4). The response carries sink STag
// and TO unchanged, also for a size of 0.
type ReadRequest struct {
	SinkSTag   STag // at the requester
	SinkTO     TO
	Size       uint32
	SourceSTag STag // at the responder
	SourceTO   TO
}

// ParseReadRequest parses the payload of a Read Request. It checks only that the source
// does not wrap, and that only if the size is not 0.
func ParseReadRequest(body []byte, r *ReadRequest) error {
	switch {
	case len(body) < ReadRequestSize:
		return ErrReadShort
	case len(body) > ReadRequestSize:
		return ErrReadLong
	}
	size, source := binary.BigEndian.Uint32(body[12:]), TO(binary.BigEndian.Uint64(body[20:]))
	if source+TO(size) < source {
		return ErrReadWrap
	}
	*r = ReadRequest{
		SinkSTag:   STag(binary.BigEndian.Uint32(body[0:])),
		SinkTO:     TO(binary.BigEndian.Uint64(body[4:])),
		Size:       size,
		SourceSTag: STag(binary.BigEndian.Uint32(body[16:])),
		SourceTO:   source,
	}
	return nil
}

// AppendReadRequest appends the whole FPDU of a Read Request, 52 bytes.
func AppendReadRequest(dst []byte, msn MSN, r ReadRequest, crc bool) []byte {
	start := len(dst)
	dst = AppendUntaggedHeader(dst, single(OpReadRequest, msn), ReadRequestSize)
	return FinishFPDU(appendReadRequestBody(dst, r), start, crc)
}

func appendReadRequestBody(dst []byte, r ReadRequest) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(r.SinkSTag))
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.SinkTO))
	dst = binary.BigEndian.AppendUint32(dst, r.Size)
	dst = binary.BigEndian.AppendUint32(dst, uint32(r.SourceSTag))
	return binary.BigEndian.AppendUint64(dst, uint64(r.SourceTO))
}

// single is the header of a message that is always one segment.
func single(op Opcode, msn MSN) UntaggedHeader {
	return UntaggedHeader{Op: op, Last: true, QN: op.Queue(), MSN: msn}
}
