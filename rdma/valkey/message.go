package valkey

import (
	"encoding/binary"
	"fmt"
)

// messageSize is the length of every control message, in bytes.
const messageSize = 32

// opcode is the kind of a control message. All numbers in messages are big-endian.
type opcode uint16

const (
	getFeatures opcode = iota // from a client, and the server's answer
	setFeatures               // from a client
	keepAlive                 // from both
	register                  // from both: the memory that the peer may write
)

// message is a control message. Features come in groups of 64, of which group is the number.
type message struct {
	op       opcode
	group    uint16
	features uint64
	address  uint64
	length   uint32
	key      uint32
}

// put stores a message in messageSize bytes.
func (m message) put(b []byte) {
	clear(b[:messageSize])
	binary.BigEndian.PutUint16(b, uint16(m.op))
	switch m.op {
	case getFeatures, setFeatures:
		binary.BigEndian.PutUint16(b[2:], m.group)
		binary.BigEndian.PutUint64(b[24:], m.features)
	case register:
		binary.BigEndian.PutUint64(b[16:], m.address)
		binary.BigEndian.PutUint32(b[24:], m.length)
		binary.BigEndian.PutUint32(b[28:], m.key)
	}
}

// parse reads a message of the given length. Bytes without a meaning are ignored.
func parse(b []byte, length int) (m message, err error) {
	if length != messageSize || len(b) < messageSize {
		return m, protocolError(fmt.Sprintf("a message has %d bytes, not %d", length, messageSize))
	}
	m.op = opcode(binary.BigEndian.Uint16(b))
	switch m.op {
	case getFeatures, setFeatures:
		m.group, m.features = binary.BigEndian.Uint16(b[2:]), binary.BigEndian.Uint64(b[24:])
	case keepAlive:
	case register:
		m.address = binary.BigEndian.Uint64(b[16:])
		m.length, m.key = binary.BigEndian.Uint32(b[24:]), binary.BigEndian.Uint32(b[28:])
	default:
		return m, protocolError(fmt.Sprintf("a message has the unknown opcode %d", m.op))
	}
	return m, nil
}
