package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/peerfiles"
	"github.com/godapl/godapl/internal/shm"
)

// WithoutProcessMemory makes connections over shared memory as if the kernel denied access to another process's
// memory. The returned function undoes that.
func WithoutProcessMemory() (undo func()) {
	probePeer = func(int, uint64, []byte) error { return shm.ErrDenied }
	return func() { probePeer = shm.ProbePeer }
}

// Scribble lets f write to the memory that a connection shares with its peer, as a faulty peer could. It
// returns false if that memory is gone already.
func Scribble(q hca.QP, f func(shared []byte)) bool {
	c := q.(*core.QP).Transport().(*Conn)
	c.hazardMu.Lock()
	defer c.hazardMu.Unlock()
	if !c.gone {
		f(c.m.seg.Bytes())
	}
	return !c.gone
}

// ScribbleKeyRecord lets f write to a key's record in the key directory of a queue pair's adapter.
func ScribbleKeyRecord(q hca.QP, key hca.Key, f func(record []byte)) {
	if r := q.(*core.QP).Transport().(*Conn).p.directory.Load().Record(uint32(key)); r != nil {
		f(r)
	}
}

// KeyRecordFields are the offsets of such a record's fields, without the key's own.
func KeyRecordFields() (list []int) {
	for at := 8; at <= 88; at += 8 {
		list = append(list, at)
	}
	return list
}

// Talk sends a message on the socket of a queue pair's connection.
func Talk(q hca.QP, message []byte, fds ...int) error {
	c := q.(*core.QP).Transport().(*Conn)
	c.sockMu.Lock()
	defer c.sockMu.Unlock()
	return shm.SendFD(c.sock, message, fds...)
}

// FileMessage is a message about a file.
func FileMessage(kind uint8, write bool, id [2]uint64) []byte {
	return encodeFileMessage(kind, write, peerfiles.ID{Device: id[0], Inode: id[1]})
}

// ScribbleAt lists the places that matter: the control words, and the heads and first slots of the rings, of
// both sides.
func ScribbleAt() (at []int) {
	for side := range 2 {
		for _, w := range []int{doorbellsAt, closeStatusAt, hazardsAt, hazardsAt + 2*lineSize} {
			at = append(at, w+side*lineSize)
		}
		for _, cfg := range []shm.RingConfig{requestRing, answerRing} {
			ring, bulk, _ := ringRegion(side, cfg)
			slots := ring + cfg.Bytes() - cfg.Slots*cfg.SlotSize
			at = append(at, ring, ring+8, bulk, bulk+8)
			for off := 0; off < 64; off += 4 {
				at = append(at, slots+off, slots+cfg.SlotSize+off)
			}
		}
	}
	return at
}

// WithoutWatch stops an adapter's poll watch.
func WithoutWatch(a hca.Adapter) { ownerOf(a).Background.Halt() }

// ownerOf returns the core adapter of an adapter.
func ownerOf(a hca.Adapter) *core.Adapter {
	p, err := a.NewPD()
	if err != nil {
		panic(err)
	}
	defer p.Close()
	return p.(*core.PD).Adapter
}

// Forged is a frame as a malicious peer could make it.
type Forged struct {
	Kind, Flags       uint8
	Word, Key, N, Off uint32
	Total, Addr, A, B uint64
	Len               int           // bytes in the slot; 0: the fields alone
	Answer            bool          // goes into the response ring, not the request ring
	List              []hca.Segment // placed at Off, as the description of a message to fetch
}

// Kinds and flags of frames, for tests.
const (
	FrSend, FrPart, FrWrite, FrImm, FrRead, FrAtomic, FrRendezvous, FrData, FrValue, FrWriteHere = frameSend, framePart, frameWrite, frameImm, frameRead, frameAtomic, frameRendezvous, frameData, frameValue, frameWriteInline
	FlLast, FlImm, FlInvalidate                                                                  = flagLast, flagImm, flagInvalidate
)

// Forge sends frames on a queue pair's behalf. What before posts on the other side is not answered before the
// frames.
func Forge(q hca.QP, before func(), frames ...Forged) {
	p := q.(*core.QP)
	c := p.Transport().(*Conn)
	c.rx.Lock()
	p.Tx.Lock()
	before()
	for _, x := range frames {
		ring := &c.out.requests
		if x.Answer {
			ring = &c.in.answers
		}
		slot, _, _, err := ring.room(0)
		if slot == nil || err != nil || c.gone {
			break
		}
		f := frame{word: x.Word, key: x.Key, n: x.N, off: x.Off, total: x.Total, addr: x.Addr, a: x.A, b: x.B}
		n := f.put(slot)
		if list := int(x.Off); list+len(x.List)*describedSize <= len(ring.bulk) {
			for i, s := range x.List {
				b := ring.bulk[list+i*describedSize:]
				order64.PutUint64(b, s.Addr)
				order64.PutUint32(b[8:], s.Len)
				order64.PutUint32(b[12:], uint32(s.Key))
			}
		}
		if x.Len > 0 {
			n = min(x.Len, len(slot))
		}
		ring.commit(x.Kind, x.Flags, n, 0)
	}
	c.ring()
	p.LeaveTx()
	c.finishRecv()
}

// Entered is the number of entries that were put into a completion queue.
func Entered(c hca.CQ) uint64 { return c.(*core.CQ).Entered() }

// PollConn does to a shared-memory connection what a poll of the receive queue does after it has found the
// queue empty.
func PollConn(q hca.QP, to *hca.WC) bool {
	p := q.(*core.QP)
	return p.Transport().(*Conn).Poll(p.RecvCQ, to)
}

// TakenAnswers is where the peer of a queue pair's connection counts the responses that it has taken.
func TakenAnswers(q hca.QP) (at int) {
	at, _, _ = ringRegion(q.(*core.QP).Transport().(*Conn).m.side, answerRing)
	return at
}

// OpenDirectory makes another key directory of a queue pair's adapter, as its first connection does, and closes it.
func OpenDirectory(q hca.QP) error {
	p := &Path{a: q.(*core.QP).Adapter}
	defer p.closeDirectory()
	_, err := p.openDirectory()
	return err
}
