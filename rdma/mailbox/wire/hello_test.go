package wire_test

import (
	"encoding/binary"
	"errors"
)

const helloBytes = 48

// A request is the private data of a sender.
type request struct {
	window, asks    uint16
	maxAnswer       uint32
	values, answers uint64 // hashes
	longest         uint32 // message
	texts           string
}

func (q request) bytes() []byte {
	b := binary.BigEndian.AppendUint32(nil, 0x47444d42) // GDMB
	b = append(b, 4, 0)
	b = binary.BigEndian.AppendUint16(b, q.window)
	b = binary.BigEndian.AppendUint16(b, q.asks)
	b = append(b, 0, 0)
	b = binary.BigEndian.AppendUint32(b, q.maxAnswer)
	b = binary.BigEndian.AppendUint64(b, q.values)
	b = binary.BigEndian.AppendUint64(b, q.answers)
	b = binary.BigEndian.AppendUint64(b, 0)
	b = binary.BigEndian.AppendUint32(b, q.longest)
	b = append(b, 0, 0, 0, 0)
	return append(b, q.texts...)
}

func parseRequest(b []byte) (q request, err error) {
	if len(b) < helloBytes || string(b[:4]) != "GDMB" || b[4] != 4 {
		return q, errors.New("no request of a sender")
	}
	return request{
		window: binary.BigEndian.Uint16(b[6:]), asks: binary.BigEndian.Uint16(b[8:]), maxAnswer: binary.BigEndian.Uint32(b[12:]),
		values: binary.BigEndian.Uint64(b[16:]), answers: binary.BigEndian.Uint64(b[24:]),
		longest: binary.BigEndian.Uint32(b[40:]), texts: string(b[helloBytes:]),
	}, nil
}

// A reply is the private data of a mailbox that accepts.
type reply struct {
	window, asks  uint16
	longest, slot uint32 // value
	message       uint32 // the longest
	messages      uint16 // under way
}

func (r reply) bytes() []byte {
	b := append([]byte("GDMB"), 4, 0)
	b = binary.BigEndian.AppendUint16(b, r.window)
	b = binary.BigEndian.AppendUint16(b, r.asks)
	b = append(b, 0, 0)
	b = binary.BigEndian.AppendUint32(b, r.longest)
	b = binary.BigEndian.AppendUint32(b, r.slot)
	b = append(b, make([]byte, 20)...)
	b = binary.BigEndian.AppendUint32(b, r.message)
	b = binary.BigEndian.AppendUint16(b, r.messages)
	return append(b, 0, 0)
}

func parseReply(b []byte) (r reply, err error) {
	if len(b) < helloBytes || string(b[:4]) != "GDMB" || b[4] != 4 {
		return r, errors.New("no answer of a mailbox")
	}
	return reply{
		window: binary.BigEndian.Uint16(b[6:]), asks: binary.BigEndian.Uint16(b[8:]),
		longest: binary.BigEndian.Uint32(b[12:]), slot: binary.BigEndian.Uint32(b[16:]),
		message: binary.BigEndian.Uint32(b[40:]), messages: binary.BigEndian.Uint16(b[44:]),
	}, nil
}
