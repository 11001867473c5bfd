package reference

import (
	"encoding/binary"
	"hash/crc32"
)

// Close is the reaction without a Terminate.
const Close = "close"

// FPDU takes the first FPDU of a stream with CRCs and without markers (RFC 5044,
// 4.1). It is n bytes long; 0 if that is not all of it, or if it is wrong.
func FPDU(b []byte) (ulpdu []byte, n int, wrong []string) {
	if len(b) < 2 {
		return nil, 0, nil
	}
	length := int(b[0])<<8 | int(b[1])
	if length == 0 {
		return nil, 0, []string{Close, "2/0/0x03"}
	}
	n = 2 + length
	for n%4 != 0 {
		n++
	}
	if len(b) < n+4 {
		return nil, 0, nil
	}
	if crc32.Checksum(b[:n], crc32.MakeTable(crc32.Castagnoli)) != binary.LittleEndian.Uint32(b[n:]) {
		return nil, 0, []string{"2/0/0x02"}
	}
	return b[2 : 2+length], n + 4, nil
}

// Seal makes an FPDU of anything that its length field can count.
func Seal(ulpdu []byte) []byte {
	b := append([]byte{byte(len(ulpdu) >> 8), byte(len(ulpdu))}, ulpdu...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}
