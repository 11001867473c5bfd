package iwarp

import "encoding/binary"

const (
	// MarkerSize and MarkerSpacing: four bytes at each multiple of 512 of the
	// stream, counted from the first FPDU and markers included (RFC 5044, 4.3).
	MarkerSize    = 4
	MarkerSpacing = 512
	// MaxMarkedULPDU keeps the distance in a marker within 16 bits.
	MaxMarkedULPDU = 64768
)

// MarkedLen is the length in bytes, with markers, of an FPDU of fpdu bytes that begins
// at that offset of a stream with markers.
func MarkedLen(offset uint64, fpdu int) int {
	// If a marker is due at the end of an FPDU, it belongs to the next FPDU; if one is
	// due at its start, it precedes the length field.
	before := int(-offset % MarkerSpacing)
	if fpdu <= before {
		return fpdu
	}
	const between = MarkerSpacing - MarkerSize
	return fpdu + MarkerSize*(1+(fpdu-before-1)/between)
}

// lengthAt is the position of the length field in an FPDU that begins at that offset.
func lengthAt(offset uint64) int {
	if offset%MarkerSpacing == 0 {
		return MarkerSize
	}
	return 0
}

// AppendMarked appends an FPDU in the form that it has in a stream with markers. The
// FPDU is complete and without markers, as the other encoders make it. Its CRC is
// recomputed over the markers too, or zero without crc. offset is the length of the
// stream so far, always a multiple of 4; it grows by the number of appended bytes. The
// FPDU must not overlap dst's free capacity.
func AppendMarked(dst []byte, offset uint64, fpdu []byte, crc bool) []byte {
	start, length := len(dst), lengthAt(offset)
	at := int(offset % MarkerSpacing)
	rest := fpdu[:len(fpdu)-CRCSize]
	for {
		if at == 0 {
			dst = appendMarker(dst, len(dst)-start, length)
			at = MarkerSize
		}
		if len(rest) == 0 {
			break
		}
		n := min(len(rest), MarkerSpacing-at)
		dst = append(dst, rest[:n]...)
		rest, at = rest[n:], (at+n)%MarkerSpacing
	}
	if !crc {
		return append(dst, zeros[:CRCSize]...)
	}
	return AppendCRC(dst, CRC(dst[start:]))
}

// appendMarker appends a marker that stands at byte at of an FPDU.
func appendMarker(dst []byte, at, length int) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(fpduptr(at, length)))
}

// fpduptr is the distance from the length field to a later marker. In a marker before
// the length field it is 0.
func fpduptr(at, length int) uint16 { return uint16(max(at-length, 0)) }

// ParseMarked parses an FPDU at the start of b in a stream with markers. offset is the
// position of b in the stream, a multiple of 4; it grows by used. The ULPDU is appended
// to dst, whose free capacity must not overlap b. This library never requests markers:
// the function is for receivers that do, and for captures.
func ParseMarked(dst, b []byte, offset uint64, crc bool) (ulpdu []byte, used, need int, err error) {
	length := lengthAt(offset)
	if len(b) < length+LengthSize {
		return nil, 0, length + LengthSize - len(b), nil
	}
	n := int(binary.BigEndian.Uint16(b[length:]))
	if n == 0 {
		return nil, 0, 0, ErrULPDULength
	}
	total := MarkedLen(offset, FPDULen(n))
	if len(b) < total {
		return nil, 0, total - len(b), nil
	}
	if crc && CRC(b[:total-CRCSize]) != crcField(b[total-CRCSize:]) {
		return nil, 0, 0, ErrCRC
	}
	// The first piece begins with the length field, which is not appended.
	skip := LengthSize
	for at := 0; at < total; {
		phase := int((offset + uint64(at)) % MarkerSpacing)
		if phase == 0 {
			if binary.BigEndian.Uint16(b[at+2:]) != fpduptr(at, length) {
				return nil, 0, 0, ErrMarker
			}
			at, phase = at+MarkerSize, MarkerSize
		}
		end := min(total, at+MarkerSpacing-phase)
		piece := b[at+skip : end]
		piece = piece[:min(len(piece), n)]
		dst, n, skip, at = append(dst, piece...), n-len(piece), 0, end
	}
	return dst, total, 0, nil
}
