package mailbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/godapl/godapl/rdma"
)

// A sender's request and the mailbox's answer carry this as private data, in network byte order:
//
//	0   "GDMB"
//	4   version (1), zero (1)
//	6   window (2): how many values may be under way
//	8   asks (2): how many of them may wait for an answer
//	10  zeros (2)
//	12  bytes (4): the longest answer in a request, the longest value in an answer
//	16  hash of the type of values (8), in a request; in an answer: how many bytes of a value fit a
//	    message (4), zeros (4)
//	24  hash of the type of answers (8), in a request
//	32  number of the sender (8), in a request: a mailbox of the same process knows it by that
//	40  message (4): the longest one that this side takes, in bytes
//	44  messages (2), in an answer: how many of the sender may be under way; zeros (2)
//	48  both types as text, as far as there is room, in a request
//
// A rejection carries the mailbox's types as text.
const (
	magic     = "GDMB"
	version   = 4
	helloSize = 48
)

type hello struct {
	window, asks, bytes int
	slot                int // in an answer only
	values, answers     uint64
	number              uint64
	message, messages   int
	text                string
}

func (h *hello) marshal(limit int) []byte {
	b := make([]byte, helloSize, helloSize+len(h.text))
	copy(b, magic)
	b[4] = version
	binary.BigEndian.PutUint16(b[6:], uint16(h.window))
	binary.BigEndian.PutUint16(b[8:], uint16(h.asks))
	binary.BigEndian.PutUint32(b[12:], uint32(h.bytes))
	if h.slot > 0 {
		binary.BigEndian.PutUint32(b[16:], uint32(h.slot))
	} else {
		binary.BigEndian.PutUint64(b[16:], h.values)
	}
	binary.BigEndian.PutUint64(b[24:], h.answers)
	binary.BigEndian.PutUint64(b[32:], h.number)
	binary.BigEndian.PutUint32(b[40:], uint32(h.message))
	binary.BigEndian.PutUint16(b[44:], uint16(h.messages))
	b = append(b, h.text...)
	return b[:min(len(b), max(limit, helloSize))]
}

func parseHello(b []byte) (*hello, error) {
	if len(b) < helloSize || string(b[:4]) != magic {
		return nil, errors.New("the private data is not that of the mailbox protocol")
	}
	if b[4] != version {
		return nil, fmt.Errorf("version %d of the protocol, not %d", b[4], version)
	}
	h := &hello{
		window: int(binary.BigEndian.Uint16(b[6:])), asks: int(binary.BigEndian.Uint16(b[8:])), bytes: int(binary.BigEndian.Uint32(b[12:])),
		slot: int(binary.BigEndian.Uint32(b[16:])), values: binary.BigEndian.Uint64(b[16:]), answers: binary.BigEndian.Uint64(b[24:]),
		number: binary.BigEndian.Uint64(b[32:]), message: int(binary.BigEndian.Uint32(b[40:])), messages: int(binary.BigEndian.Uint16(b[44:])),
		text: string(bytes.TrimRight(b[helloSize:], "\x00")), // devices pad
	}
	if h.window < 1 || h.asks < 1 || h.bytes < 0 || h.bytes > maxValue {
		return nil, fmt.Errorf("a window of %d values, %d asks and %d bytes are not possible", h.window, h.asks, h.bytes)
	}
	return h, nil
}

// typesText is what a peer that has other types gets to read.
func typesText[T, R any](values *coder[T], answers *coder[R]) string {
	return typesPrefix + values.text + "; answers of " + answers.text
}

// typesPrefix begins the text of a rejection because of the types.
const typesPrefix = "values of "

// rejection explains why a mailbox has rejected a sender.
func rejection(err error, own string) error {
	e := new(rdma.Error)
	if !errors.As(err, &e) || e.Code != rdma.ErrRejected || len(e.Private) == 0 {
		return err
	}
	theirs := bytes.TrimRight(e.Private, "\x00")
	if !bytes.HasPrefix(theirs, []byte(typesPrefix)) {
		return fmt.Errorf("%w: the mailbox says: %s", err, theirs)
	}
	return fmt.Errorf("%w: %w: this side has %s; the mailbox has %s", ErrTypes, err, own, theirs)
}
