package endpoint_test

import (
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
)

// FuzzProgram: the peer sends arbitrary messages while the program makes arbitrary
// permitted calls. Each accepted post completes once, memory without rights and freed
// memory do not change, and the connection has one end.
func FuzzProgram(f *testing.F) {
	for i, s := range endpointSeeds() {
		f.Add(s.in.role, s.in.receives, s.in.reads, []byte{byte(i), 0x80, byte(i / 7), 3, 0x84, byte(i / 3)}, s.in.script)
	}
	for i := range byte(16) {
		f.Add(i, []byte{8}, []byte{4}, []byte{i, 0x80 | i, i, 1, 2, 3, 0x80 | i}, []byte{2, 5, 0, 0, 0, 0, 0, 0, 5, 5, 2, 0, 0, 3, 0, 0})
	}
	// Freed between two Writes to it, and between two Read Requests.
	f.Add(byte(0), []byte{}, []byte{}, []byte{0x86, 0}, []byte{0, 2, 0, 1, 0, 5, 0, 2, 0, 1, 0, 9})
	f.Add(byte(2), []byte{}, []byte{}, []byte{0x87, 0}, []byte{5, 1, 0, 1, 0, 0, 8, 0, 5, 1, 0, 1, 0, 0, 8, 0})
	f.Fuzz(func(t *testing.T, role byte, receives, reads, actions, script []byte) {
		in := &input{role: role, receives: receives, reads: reads, script: script}
		inBubble(t, func(r *rig) { r.program(in, actions) })
	})
}

// A program is the local side's behaviour.
type program struct {
	*rig
	script script
	posted map[uint64]int // and how often it completed
	last   uint64
	freed  map[string]string // the content of pieces when they were freed
	window hca.MW
}

func (r *rig) program(in *input, actions []byte) {
	r.begin(in)
	p := &program{rig: r, script: script{b: in.script, ref: &r.ref}, posted: map[uint64]int{}, freed: map[string]string{}}
	for range r.ref.Receives {
		p.accepted(nil)
	}
	for range r.ref.Reads {
		p.accepted(nil)
	}
	var err error
	p.window, err = r.pd.NewWindow(hca.EndpointWindow)
	r.must(err)
	for sent, more := 0, true; more || len(actions) > 0; {
		more = p.script.step()
		for ; sent < len(p.script.out); sent++ {
			if _, err := r.main.peer.Write(p.script.out[sent]); err != nil {
				more, sent = false, len(p.script.out)
				break
			}
		}
		if len(actions) > 0 {
			p.act(actions[0] & 15)
			if actions[0]&0x80 != 0 { // else things overlap
				synctest.Wait()
			}
			actions = actions[1:]
		}
	}
	synctest.Wait()
	r.bystander(1)
	r.must(r.main.qp.Close())
	synctest.Wait()
	p.stock()
	r.bystander(2)
}

// accepted counts a post.
func (p *program) accepted(err error) {
	if p.last++; err == nil {
		p.posted[p.last] = 0
	}
}

func (p *program) post(wr hca.SendWR) {
	wr.ID = p.last + 1
	p.accepted(p.main.qp.PostSend(wr))
}

// remote is for requests of which the peer never learns more than they say.
const remote, rkey = 0x2000, 9

func (p *program) act(what byte) {
	qp, all, local := p.main.qp, p.memory.pieces["all"], p.memory.pieces["local"]
	src := hca.Segment{Addr: local.Addr(), Len: 24, Key: local.LKey()}
	sink := func() hca.Segment { seg, _ := p.memory.part("sink", 8); return seg }
	switch what {
	case 0:
		seg, _ := p.memory.part("recv", 8)
		p.accepted(qp.PostRecv(hca.RecvWR{ID: p.last + 1, Local: seg}))
	case 1:
		p.post(hca.SendWR{Op: hca.OpSend, Local: src})
	case 2:
		p.post(hca.SendWR{Op: hca.OpWrite, Local: src, Remote: remote, RKey: rkey})
	case 3:
		p.post(hca.SendWR{Op: hca.OpRead, Local: sink(), Remote: remote, RKey: rkey})
	case 4:
		p.post(hca.SendWR{Op: hca.OpCompareSwap, Local: sink(), Remote: remote, RKey: rkey})
	case 5:
		p.post(hca.SendWR{Op: hca.OpWriteImm, Local: src, Remote: remote, RKey: rkey, Imm: 5})
	case 6:
		p.free("write")
	case 7:
		p.free("read")
	case 8:
		p.free("recv")
	case 9:
		p.free("sink")
	case 10:
		_ = qp.Disconnect(true)
	case 11:
		_ = qp.Disconnect(false)
	case 12:
		p.post(hca.SendWR{Op: hca.OpBind, Flags: hca.Fence, Bind: &hca.Bind{MW: p.window, MR: all.MR, Addr: all.Addr(), Len: 16, Access: hca.RemoteWrite}})
	case 13:
		p.main.poll()
		_ = p.main.cq.Arm()
	case 14:
		p.post(hca.SendWR{Op: hca.OpSendInvalidate, Local: src, RKey: rkey})
	case 15:
		_ = p.main.peer.Close()
	}
}

// free frees a piece. From when that returns it does not change.
func (p *program) free(name string) {
	piece := p.memory.pieces[name]
	if _, ok := p.freed[name]; !ok && piece.Close() == nil {
		p.freed[name] = string(p.memory.array[piece.off:][:pieceSize])
	}
}

// stock is taken when the endpoint is closed.
func (p *program) stock() {
	for _, wc := range p.main.poll() {
		n, ok := p.posted[wc.ID]
		if !ok {
			p.t.Fatalf("an entry that belongs to nothing: %+v", wc)
		}
		p.posted[wc.ID] = n + 1
	}
	for id, n := range p.posted {
		if n != 1 {
			p.t.Fatalf("%d of %d completed %d times: %+v", id, p.last, n, p.main.seen)
		}
	}
	if n := len(p.main.events); n != 1 {
		p.t.Fatalf("%d events at the end", n)
	}
	p.segments(p.main.peer.got())
	m := &p.memory
	for name, was := range p.freed {
		if now := string(m.array[m.pieces[name].off:][:pieceSize]); now != was {
			p.t.Fatalf("%s has changed since it was freed: %x, now %x", name, was, now)
		}
	}
	// Memory without rights is unchanged; the copy of the rest does not matter.
	for _, name := range []string{"all", "write", "recv", "sink"} {
		off := m.pieces[name].off
		copy(m.shadow[off:off+pieceSize], m.array[off:])
	}
	if at, where := m.differs(); at >= 0 {
		p.t.Fatalf("byte %d %s has changed", at, where)
	}
}
