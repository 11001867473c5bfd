package mailbox

import (
	"encoding/binary"
	"fmt"
)

// Every message has one record or several, behind each other. A record begins with a header of 24
// bytes, in network byte order:
//
//	0   kind
//	1   zeros (3)
//	4   length of what follows the header (4)
//	8   id (8): of an ask and its answer; the number of a refused value
//	16  placed (8): from the mailbox, how many of the sender's values are done with
const headerSize = 24

type kind uint8

const (
	kindValue   kind = 1 // sender: a value
	kindAsk     kind = 2 // sender: a value that is to be answered
	kindAnswer  kind = 3 // mailbox: the answer
	kindDecline kind = 4 // mailbox: there will be no answer; a text says why
	kindPlaced  kind = 5 // mailbox: nothing but the number in the header
	kindRefused kind = 6 // mailbox: the value of this number was not placed; a text says why
	kindClosed  kind = 7 // mailbox: it takes no further value

	kindLargeValue kind = 8 // sender: where a value lies in its memory
	kindLargeAsk   kind = 9 // sender: where a value lies that is to be answered
)

type header struct {
	kind   kind
	length int
	id     uint64
	placed uint64
}

func (h header) put(b []byte) {
	binary.BigEndian.PutUint32(b, uint32(h.kind)<<24)
	binary.BigEndian.PutUint32(b[4:], uint32(h.length))
	binary.BigEndian.PutUint64(b[8:], h.id)
	binary.BigEndian.PutUint64(b[16:], h.placed)
}

// parse takes the header of the first record of a message, and returns where the record ends; 0 if there is none, of
// which noRecord tells. The peer may have sent anything.
func parse(b []byte) (h header, end int) {
	if end = recordEnd(b); end != 0 {
		h = header{kind: kind(b[0]), length: end - headerSize, id: binary.BigEndian.Uint64(b[8:]), placed: binary.BigEndian.Uint64(b[16:])}
	}
	return h, end
}

// recordEnd is where the first record of a message ends, or 0 if it is none.
func recordEnd(b []byte) int {
	if len(b) < headerSize {
		return 0
	}
	first, n := binary.BigEndian.Uint32(b), uint64(binary.BigEndian.Uint32(b[4:]))
	if first-uint32(kindValue)<<24 > uint32(kindLargeAsk-kindValue)<<24 || first&0xffffff != 0 || n > uint64(len(b)-headerSize) {
		return 0
	}
	return headerSize + int(n)
}

// records counts the records of a message, and what follows them as one, if that is none.
func records(b []byte) (n uint64) {
	for len(b) > 0 {
		n++
		end := recordEnd(b)
		if end == 0 {
			break // handle tells
		}
		b = b[end:]
	}
	return n
}

// noRecord is the error for a message that does not begin with a record.
func noRecord(b []byte) error {
	if len(b) < headerSize {
		return fmt.Errorf("%w: a message or its rest of %d bytes", ErrProtocol, len(b))
	}
	return fmt.Errorf("%w: kind %#x with %d bytes, where there are %d", ErrProtocol,
		binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:]), len(b)-headerSize)
}
