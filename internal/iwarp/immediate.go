package iwarp

import "encoding/binary"

// ImmediateSize is the size of Immediate Data in bytes (RFC 7306, 6).
const ImmediateSize = 8

// ParseImmediate parses the payload of Immediate Data.
func ParseImmediate(body []byte) (data uint64, err error) {
	if len(body) != ImmediateSize {
		return 0, ErrImmediateSize
	}
	return binary.BigEndian.Uint64(body), nil
}

// AppendImmediate appends the whole FPDU of Immediate Data, 32 bytes. After a Write it
// makes a write with immediate. Its MSN is in the sequence of the Sends.
func AppendImmediate(dst []byte, msn MSN, data uint64, solicited, crc bool) []byte {
	op := OpImmediate
	if solicited {
		op = OpImmediateSE
	}
	start := len(dst)
	dst = AppendUntaggedHeader(dst, single(op, msn), ImmediateSize)
	return FinishFPDU(binary.BigEndian.AppendUint64(dst, data), start, crc)
}
