package iwarp

import "encoding/binary"

const (
	// LengthSize is the size of the length field that begins an FPDU. It
	// counts the ULPDU only.
	LengthSize = 2
	// MaxULPDU is the maximum of the length field. Receivers accept all of it.
	MaxULPDU = 65535
	// MaxFPDULen is the longest FPDU, without markers.
	MaxFPDULen = (LengthSize+MaxULPDU+3)&^3 + CRCSize
)

// PadLen is the number of bytes between ULPDU and CRC: 0 to 3.
func PadLen(ulpdu int) int { return -(LengthSize + ulpdu) & 3 }

// TrailerLen is the size of pad and CRC after a ULPDU, in bytes.
func TrailerLen(ulpdu int) int { return PadLen(ulpdu) + CRCSize }

// FPDULen is the length in bytes of an FPDU without markers, a multiple of 4.
func FPDULen(ulpdu int) int { return LengthSize + ulpdu + TrailerLen(ulpdu) }

// ParseFPDU parses an FPDU at the start of b (RFC 5044, 4.1). It checks the CRC only
// if crc is true. The ULPDU shares b's memory.
func ParseFPDU(b []byte, crc bool) (ulpdu []byte, used, need int, err error) {
	if len(b) < LengthSize {
		return nil, 0, LengthSize - len(b), nil
	}
	n := int(binary.BigEndian.Uint16(b))
	if n == 0 {
		return nil, 0, 0, ErrULPDULength
	}
	total := FPDULen(n)
	if len(b) < total {
		return nil, 0, total - len(b), nil
	}
	if crc && CRC(b[:total-CRCSize]) != crcField(b[total-CRCSize:]) {
		return nil, 0, 0, ErrCRC
	}
	return b[LengthSize : LengthSize+n : LengthSize+n], total, 0, nil
}

// CheckTrailer is the last part of ParseFPDU, for a receiver that has the payload
// elsewhere: trailer is the TrailerLen bytes after a ULPDU of the given length, sum the
// CRC over length field, header and payload.
func CheckTrailer(trailer []byte, ulpdu int, sum uint32) error {
	pad := PadLen(ulpdu)
	if UpdateCRC(sum, trailer[:pad]) != crcField(trailer[pad:]) {
		return ErrCRC
	}
	return nil
}

// FinishFPDU completes the FPDU that begins at dst[start] and holds the length
// field and ULPDU so far: it fills in the length and appends pad and CRC,
// which is zero without crc. It panics if the ULPDU is longer than MaxULPDU.
func FinishFPDU(dst []byte, start int, crc bool) []byte {
	n := len(dst) - start - LengthSize
	checkULPDU(n)
	binary.BigEndian.PutUint16(dst[start:], uint16(n))
	dst = append(dst, zeros[:PadLen(n)]...)
	if !crc {
		return append(dst, zeros[:CRCSize]...)
	}
	return AppendCRC(dst, CRC(dst[start:]))
}

// AppendTrailer appends pad and CRC for a ULPDU of the given length. sum covers length
// field, header and payload; without crc it is not used and the field is zero.
func AppendTrailer(dst []byte, ulpdu int, sum uint32, crc bool) []byte {
	pad := zeros[:PadLen(ulpdu)]
	dst = append(dst, pad...)
	if !crc {
		return append(dst, zeros[:CRCSize]...)
	}
	return AppendCRC(dst, UpdateCRC(sum, pad))
}

var zeros [CRCSize]byte

// checkULPDU panics if the length field cannot hold n. n always comes from the sender
// itself, never from a peer.
func checkULPDU(n int) {
	if n > MaxULPDU {
		panic("iwarp: ULPDU longer than 65535 bytes")
	}
}
