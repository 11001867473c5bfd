package iwarp

import (
	"encoding/binary"

	"github.com/godapl/godapl/internal/crc32c"
)

// CRCSize is the size of the CRC field, in bytes. On a stream without CRC the field is
// present and zero.
const CRCSize = 4

// CRC is the CRC-32C of p (RFC 5044, 4.4).
func CRC(p []byte) uint32 { return crc32c.Update(0, p) }

// UpdateCRC returns the CRC of the data that sum covers followed by p. The CRC of no
// data is 0. One call over contiguous bytes is faster than two.
func UpdateCRC(sum uint32, p []byte) uint32 { return crc32c.Update(sum, p) }

// AppendCRC appends the field as it is sent: least significant byte first, the
// only field of the protocol in this order.
func AppendCRC(dst []byte, sum uint32) []byte {
	return binary.LittleEndian.AppendUint32(dst, sum)
}

// crcField reads the field at the start of b.
func crcField(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
