package sharedmem

import (
	"encoding/binary"

	"github.com/godapl/godapl/internal/shm"
)

// Kinds of frames. A frame fills one ring slot; a message is one frame or several.
const (
	frameSend        = iota + 1 // a whole message: immediate data, then the bytes
	framePart                   // a part of a message
	frameWrite                  // a part of a write, which the peer carries out
	frameImm                    // the immediate data of a write that has been carried out
	frameRead                   // requests bytes; frameAtomic requests an atomic operation
	frameAtomic                 //
	frameRendezvous             // a rendezvous: the peer fetches the message; segments in the bulk area
	frameData                   // a part of the response to a read
	frameValue                  // the response to an atomic
	frameWriteInline            // a whole write, with its bytes in the slot
	frameAckRequest             // requests an acknowledgement of all frames before it
)

// Flags of frames.
const (
	flagLast = 1 << iota
	flagImm
	flagInvalidate
	flagSolicited
	flagSwap // compare-and-swap; otherwise fetch-and-add
	flagAck  // the acknowledgement is published before the frame is handled to the end, also if more frames follow
	flagWake // the sender is woken when the frame, and those that have come behind it, are acknowledged
)

// frame is a copy of a slot's contents, so the peer cannot change it any more. Only frameSend and
// frameWriteInline carry bytes behind the fields.
type frame struct {
	kind, flags uint8
	word        uint32 // immediate data, or the key to invalidate
	key         uint32 // key of the receiver's memory
	n           uint32 // bytes of this frame
	off         uint32 // their place in the bulk area
	total       uint64 // bytes of the message
	addr        uint64
	a, b        uint64 // operand and comparand
}

const (
	sendHead   = 4
	sendMost   = slotInline - sendHead // bytes of a frameSend
	frameSize  = 48
	inlineMost = slotInline - frameSize // bytes of a frameWriteInline
)

var order64 = binary.NativeEndian // both ends run on one machine

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

// get decodes a frame. It returns false if the length does not match the kind.
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

// payload returns the frame's bytes in the bulk area; nil if they lie outside of it.
func (f *frame) payload(bulk []byte) []byte {
	end := uint64(f.off) + uint64(f.n)
	if end > uint64(len(bulk)) {
		return nil
	}
	return bulk[f.off:end:end]
}

// moves is the largest number of bytes that are copied for the frame.
func (f *frame) moves() uint64 {
	if f.kind == frameRendezvous || f.kind == frameRead {
		return f.total
	}
	return uint64(f.n)
}
