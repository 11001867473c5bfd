package peers_test

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/godapl/godapl/internal/iwarp"
)

// FPDUs as a peer sends them, with CRC.

func write(stag iwarp.STag, to uint64, payload string) []byte {
	return tagged(iwarp.OpWrite, stag, to, payload, true)
}

func response(stag iwarp.STag, to uint64, payload string) []byte {
	return tagged(iwarp.OpReadResponse, stag, to, payload, true)
}

func tagged(op iwarp.Opcode, stag iwarp.STag, to uint64, payload string, last bool) []byte {
	return iwarp.AppendTagged(nil, iwarp.TaggedHeader{Op: op, Last: last, STag: stag, TO: iwarp.TO(to)}, []byte(payload), true)
}

func send(msn iwarp.MSN, payload string) []byte {
	return sendPart(iwarp.OpSend, msn, 0, payload, true)
}

func sendPart(op iwarp.Opcode, msn iwarp.MSN, mo iwarp.MO, payload string, last bool) []byte {
	return untagged(iwarp.UntaggedHeader{Op: op, Last: last, MSN: msn, MO: mo}, payload)
}

func sendInv(op iwarp.Opcode, stag iwarp.STag, msn iwarp.MSN, mo iwarp.MO, payload string, last bool) []byte {
	return untagged(iwarp.UntaggedHeader{Op: op, Last: last, InvSTag: stag, MSN: msn, MO: mo}, payload)
}

func untagged(h iwarp.UntaggedHeader, payload string) []byte {
	return iwarp.AppendUntagged(nil, h, []byte(payload), true)
}

func readRequest(msn iwarp.MSN, stag iwarp.STag, to uint64, size uint32) []byte {
	return iwarp.AppendReadRequest(nil, msn, iwarp.ReadRequest{
		SinkSTag: sinkSTag, SinkTO: sinkTO, Size: size, SourceSTag: stag, SourceTO: iwarp.TO(to),
	}, true)
}

// The target of a peer's reads. This side must echo it.
const (
	sinkSTag iwarp.STag = 0xfeed0017
	sinkTO   iwarp.TO   = 0x1122334455667788
)

func terminate(body ...byte) []byte {
	return untagged(iwarp.UntaggedHeader{Op: iwarp.OpTerminate, Last: true, QN: iwarp.QueueTerminate, MSN: 1}, string(body))
}

// greeting is the first frame of this library.
func greeting() []byte { return write(1, greetingTO, "") }

const greetingTO = 0x676f6461706c0001

// raw makes an FPDU of any ULPDU, with a valid CRC.
func raw(ulpdu ...byte) []byte {
	return iwarp.FinishFPDU(append(make([]byte, iwarp.LengthSize), ulpdu...), 0, true)
}

// edit changes the ULPDU of an FPDU and recomputes the CRC.
func edit(fpdu []byte, change func(ulpdu []byte)) []byte {
	n := int(binary.BigEndian.Uint16(fpdu))
	change(fpdu[iwarp.LengthSize:][:n])
	return seal(fpdu)
}

// seal recomputes the CRC of an FPDU. It has its own code, so that an error of the codec does not cancel out.
func seal(fpdu []byte) []byte {
	end := len(fpdu) - iwarp.CRCSize
	binary.LittleEndian.PutUint32(fpdu[end:], crc32.Checksum(fpdu[:end], crc32.MakeTable(crc32.Castagnoli)))
	return fpdu
}
