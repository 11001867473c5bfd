package endpoint_test

import (
	"encoding/binary"
	"fmt"
	"net"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/fuzz/reference"
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// A role is how the two sides got to know each other.
type role struct {
	initiator bool // ours is
	own       bool // the peer introduces itself as our own adapter
	frame     iwarp.Frame
}

var (
	plain    = iwarp.Frame{Revision: iwarp.Revision1, CRC: true}
	enhanced = iwarp.Frame{Revision: iwarp.Revision2, CRC: true, Enhanced: true, PeerToPeer: true, RTR: iwarp.RTRWrite, IRD: 128, ORD: 128}

	roles = []role{
		{false, false, plain}, {false, false, enhanced}, {true, false, enhanced}, {true, false, plain},
		{false, true, enhanced}, {true, true, enhanced},
	}
)

// first is what the peer begins with.
func (r role) first() []byte {
	to := uint64(0)
	if r.own {
		to = 0x676f6461706c0001
	}
	return reference.Seal(tagged(reference.Write, true, 1, to))
}

// An input is chosen by the fuzzer.
type input struct {
	role     byte
	end      byte   // how the connection ends if nothing else ends it
	receives []byte // their sizes
	reads    []byte // the sizes of ours' reads; from 0x80 on an atomic operation
	cuts     []byte // the distances at which the stream is cut into pieces
	script   []byte
}

// begin makes both connections and posts the requests of the input.
func (r *rig) begin(in *input) {
	r.other, r.main = r.newLink(), r.newLink()
	r.join(r.other, false, plain, roles[0].first())
	role := roles[int(in.role)%len(roles)]
	id := uint64(0)
	for _, n := range in.receives[:min(len(in.receives), 16)] {
		id++
		seg, room := r.memory.part("recv", int(n%20))
		r.must(r.main.qp.PostRecv(hca.RecvWR{ID: id, Local: seg}))
		r.ref.Receives = append(r.ref.Receives, reference.Receive{ID: id, Room: room})
	}
	r.join(r.main, role.initiator, role.frame, role.first())
	r.ref.Feed(role.first())
	r.window(r.main, 0, 32, false)
	r.window(r.other, 32, 32, true)
	for _, n := range in.reads[:min(len(in.reads), 16)] {
		id++
		wr := hca.SendWR{ID: id, Op: hca.OpRead, Remote: 0x1000, RKey: 7, Operand: 1}
		size := int(n & 0x1f)
		if n >= 0x80 && role.own {
			wr.Op, size = hca.OpFetchAdd, 8
		}
		seg, sink := r.memory.part("sink", size)
		if wr.Op == hca.OpFetchAdd && len(sink) < 8 {
			break // the memory is used up
		}
		wr.Local = seg
		r.must(r.main.qp.PostSend(wr))
		r.ref.Reads = append(r.ref.Reads, reference.Read{ID: id, Atomic: wr.Op == hca.OpFetchAdd, Sink: sink})
	}
	r.until("the reads", func() bool { return len(r.segments(r.main.peer.got())) == len(r.ref.Reads) })
	for i, s := range r.segments(r.main.peer.take()) {
		read := &r.ref.Reads[i]
		read.MSN = s.MSN
		if read.Atomic {
			read.STag = binary.BigEndian.Uint32(s.Payload[4:])
		} else {
			read.STag, read.TO = binary.BigEndian.Uint32(s.Payload), binary.BigEndian.Uint64(s.Payload[4:])
		}
	}
}

// window binds a window to a part of the piece, with every right, for the peer of a
// link.
func (r *rig) window(l *link, at, n int, foreign bool) {
	w, err := r.pd.NewWindow(hca.EndpointWindow)
	r.must(err)
	all := r.memory.pieces["all"]
	b := hca.Bind{MW: w, MR: all.MR, Addr: all.Addr() + uint64(at), Len: uint64(n), Access: hca.RemoteWrite | hca.RemoteRead}
	r.must(l.qp.PostSend(hca.SendWR{Op: hca.OpBind, Bind: &b}))
	r.until("the bind", func() bool { return len(l.poll()) == 1 })
	if l.seen[0].Status != hca.StatusOK {
		r.t.Fatalf("the bind: %+v", l.seen)
	}
	l.seen = nil
	r.ref.Regions = append(r.ref.Regions, &reference.Region{
		STag: uint32(b.Key), Base: b.Addr, Bytes: r.memory.shadow[all.off+at:][:n], Foreign: foreign, Read: true, Write: true, Window: true,
	})
}

// segments parses what the endpoint has sent: valid FPDUs, of which the last may be
// incomplete.
func (r *rig) segments(b []byte) (list []reference.Segment) {
	r.t.Helper()
	for len(b) > 0 {
		ulpdu, n, wrong := reference.FPDU(b)
		if n == 0 && wrong == nil {
			return list
		}
		if n == 0 {
			r.t.Fatalf("ours sent no FPDU, %v: %x", wrong, b)
		}
		s, wrong := reference.Parse(ulpdu)
		if wrong != nil {
			r.t.Fatalf("ours sent a segment with %v: %x", wrong, ulpdu)
		}
		list = append(list, s)
		b = b[n:]
	}
	return list
}

// say sends the stream in pieces.
func (r *rig) say(stream, cuts []byte) {
	for len(stream) > 0 {
		n := len(stream)
		if len(cuts) > 0 {
			n = min(n, int(cuts[0])+1)
			cuts = cuts[1:]
		}
		if _, err := r.main.peer.Write(stream[:n]); err != nil {
			return // it is over
		}
		stream = stream[n:]
		if !r.sockets {
			synctest.Wait()
		}
	}
}

// bystander shows that the other connection works.
func (r *rig) bystander(n int) {
	r.t.Helper()
	l := r.other
	r.must(l.qp.PostRecv(hca.RecvWR{ID: 1}))
	_, _ = l.peer.Write(reference.Seal(untagged(reference.Send, true, 0, 0, uint32(n), 0)))
	r.must(l.qp.PostSend(hca.SendWR{ID: 2, Op: hca.OpSend}))
	r.until("the other connection", func() bool { return len(l.poll()) == 2 && len(r.segments(l.peer.got())) > 0 })
	if got := l.seen; got[0].Status != hca.StatusOK || got[1].Status != hca.StatusOK {
		r.t.Fatalf("the other connection: %+v", got)
	}
	l.seen = nil
	if got := r.segments(l.peer.take()); len(got) != 1 || got[0].MSN != uint32(n) {
		r.t.Fatalf("the other connection's peer got %+v", got)
	}
}

// finish closes everything. The bubble reports goroutines that are left.
func (r *rig) finish() {
	for _, l := range []*link{r.main, r.other} {
		if l != nil && l.peer != nil {
			_ = l.peer.Close()
			<-l.peer.over
		}
	}
	if err := r.a.Close(); err != nil {
		r.t.Error(err)
	}
}

func reaction(body []byte) string {
	return fmt.Sprintf("%d/%d/0x%02x", body[0]>>4, body[0]&15, body[1])
}

func inBubble(t *testing.T, f func(r *rig)) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, false, net.Pipe)
		defer r.finish()
		f(r)
	})
}
