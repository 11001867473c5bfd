package sharedmem

import (
	"encoding/binary"

	"github.com/godapl/godapl/internal/shm"
)

// Kinds of frames. A frame fills one slot of a ring; a message is one or more.
const (
	frameSend        = iota + 1 // a whole message: word, then its bytes
	framePart                   // a part of a message
	frameWrite                  // a part of a write, for the peer to carry out
	frameImm                    // the immediate data of a write that has been carried out
	frameRead                   // asks for bytes, frameAtomic for an operation
	frameAtomic                 //
	framePull                   // a message for the peer to fetch; segments in the bulk area
	frameData                   // answers a read, in part
	frameValue                  // answers an atomic
	frameWriteInline            // a whole write, whose bytes are in the slot
	frameAckRequest             // to be told when it has been handled, and all before it
)

// Flags of frames.
const (
	flagLast = 1 << iota
	flagImm
	flagInvalidate
	flagSolicited
	flagSwap // compare-swap, otherwise fetch-add
	flagAck  // the sender wants to be woken when it has been handled
)

// frame is what is in a slot, as it was copied out: the peer cannot change it
// any more. Bytes behind the fields belong to frameSend and frameWriteInline only.
type frame struct {
	kind, flags uint8
	word        uint32 // immediate data, or the key to revoke
	key         uint32 // of the receiver's memory
	n           uint32 // bytes of this frame
	off         uint32 // where they are in the bulk area
	total       uint64 // bytes of the message
	addr        uint64
	a, b        uint64 // operand and what to compare with
}

const (
	sendHead   = 4
	sendMost   = slotInline - sendHead // bytes of an frameSend
	frameSize  = 48
	inlineMost = slotInline - frameSize // bytes of an frameWriteInline
)

var order64 = binary.NativeEndian // both ends are on one machine

func (f *frame) put(b []byte) int {
	b = b[:frameSize]
	order64.PutUint32(b[0:], f.word)
	order64.PutUint32(b[4:], f.key)
	order64.PutUint32(b[8:], f.n)
	order64.PutUint32(b[12:], f.off)
	order64.PutUint64(b[16:], f.total)
	order64.PutUint64(b[24:], f.addr)
	order64.PutUint64(b[32:], f.a)
	order64.PutUint64(b[40:], f.b)
	return frameSize
}

// get takes a frame apart. It reports false if the length is not the kind's.
func (f *frame) get(e shm.Entry, b []byte) bool {
	f.kind, f.flags = e.Kind, e.Flags
	if f.kind == frameSend {
		if e.Len < sendHead {
			return false
		}
		f.word, f.n = order64.Uint32(b), uint32(e.Len-sendHead)
		f.total = uint64(f.n)
		return true
	}
	if e.Len < frameSize || e.Len > frameSize && f.kind != frameWriteInline {
		return false
	}
	here := uint32(e.Len - frameSize)
	b = b[:frameSize]
	f.word = order64.Uint32(b[0:])
	f.key = order64.Uint32(b[4:])
	f.n = order64.Uint32(b[8:])
	f.off = order64.Uint32(b[12:])
	f.total = order64.Uint64(b[16:])
	f.addr = order64.Uint64(b[24:])
	f.a = order64.Uint64(b[32:])
	f.b = order64.Uint64(b[40:])
	if f.kind == frameWriteInline && (here != f.n || f.total != uint64(f.n)) {
		return false
	}
	return true
}

// bytes are the frame's, in the bulk area; nil if they are not inside.
func (f *frame) octets(bulk []byte) []byte {
	end := uint64(f.off) + uint64(f.n)
	if end > uint64(len(bulk)) {
		return nil
	}
	return bulk[f.off:end:end]
}

// moves is how many bytes are copied for the frame, at most.
func (f *frame) moves() uint64 {
	if f.kind == framePull || f.kind == frameRead {
		return f.total
	}
	return uint64(f.n)
}
