package peers_test

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// How this side behaves towards peers that are not this library.

// A responder sends nothing before the initiator's first FPDU: the initiator may still be in its startup.
func TestResponderIsSilentAtFirst(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, first := range [][]byte{write(1, 0, ""), readRequest(1, 0, 0, 0), send(1, "hello")} {
		e, p := s.open(t, responder1, depths{4, 4})
		x := &exchange{t, e, p}
		e.recv(8)
		x.may(e.mem.recv, 0, 8)
		e.ledger.allow(e.recvs[0], hca.StatusOK, hca.StatusFlushed)
		e.post(hca.SendWR{Op: hca.OpWrite, Local: e.mem.src.segment(0, 8), RKey: 7}, hca.StatusOK)
		if seg, err := p.nextWithin(20 * time.Millisecond); err == nil {
			t.Errorf("ours began with %+v", seg)
		}
		p.write(first)
		p.silent = false
		for seg := p.mustNext(); seg.Op != iwarp.OpWrite; seg = p.mustNext() {
		}
		e.done(hca.StatusOK)
		p.fin()
		e.over(hca.EventDisconnected)
	}
}

// A listener with SpeakAfter sends first to a peer that waits for that, but only if the peer has not promised
// to send first.
func TestSpeakAfter(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	v, err := s.tryListen(t, hca.ListenConfig{Address: "127.0.0.1:0", SpeakAfter: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	plain := enhanced(0, 4, 4)
	plain.PeerToPeer = false
	for _, f := range []iwarp.Frame{responder1.frame, plain} {
		e, p := s.openAt(t, v, role{frame: f}, depths{4, 4})
		x := &exchange{t, e, p}
		e.recv(8)
		x.may(e.mem.recv, 0, 6)
		e.ledger.allow(e.recvs[0], hca.StatusOK)
		e.post(hca.SendWR{Op: hca.OpSend, Local: e.mem.src.segment(0, 8)}, hca.StatusOK)
		p.want(iwarp.OpSend)
		e.done(hca.StatusOK)
		p.write(send(1, "answer"))
		if wc := e.received(); wc.Len != 6 {
			t.Errorf("received %+v", wc)
		}
		p.fin()
		e.over(hca.EventDisconnected)
	}
	p := dialFrom(t, v.address(), net.Dialer{})
	p.sendRequest(responder.frame)
	e := s.endpoint(t, depths{4, 4})
	result := e.accept(v.request(), nil)
	p.takeReply()
	if seg, err := p.nextWithin(20 * time.Millisecond); err == nil {
		t.Errorf("ours began with %+v", seg)
	}
	p.write(responder.first())
	e.established(result)
	p.fin()
	e.over(hca.EventDisconnected)
	s.bystander(t)
}

func (p *peer) mustNext() iwarp.Segment {
	p.t.Helper()
	s, err := p.next()
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// The extensions are never sent to a peer that has not identified itself. A request for one is refused, or
// fails when the peer is identified.
func TestNoExtensionsTowardsForeignPeers(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{ReceiveWait: -1})
	for _, r := range roles {
		for _, op := range []hca.Op{hca.OpWriteImm, hca.OpFetchAdd, hca.OpCompareSwap} {
			t.Run(op.String()+"/"+r.name, func(t *testing.T) {
				e, p := s.open(t, r, depths{4, 4})
				e.recv(8)
				e.ledger.allow(e.recvs[0], hca.StatusOK, hca.StatusFlushed)
				id := e.ledger.enter(hca.StatusRemoteInvalid, hca.StatusFlushed)
				wr := hca.SendWR{ID: id, Op: op, Local: e.mem.sink.segment(0, 8), Remote: 0x1000, RKey: 7}
				if op == hca.OpWriteImm {
					wr.Local = e.mem.src.segment(0, 8)
				}
				err := e.qp.PostSend(wr)
				if err != nil && !errors.Is(err, hca.Unsupported) {
					t.Errorf("the post: %v", err)
				}
				p.write(send(1, ""))
				if err != nil {
					delete(e.ledger.allowed, id)
					p.fin()
				}
				for _, seg := range p.end().segments {
					if seg.Op.Extension() {
						t.Errorf("the peer got %v", seg.Op)
					}
				}
				if err != nil {
					e.over(hca.EventDisconnected)
				} else {
					e.over(hca.EventBroken)
				}
			})
		}
	}
	s.bystander(t)
}

// FPDUs of every length that the length field allows, and messages of length zero.
func TestLargestAndSmallest(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, r := range roles {
		t.Run(r.name, func(t *testing.T) {
			e, p := s.open(t, r, depths{4, 4})
			x := &exchange{t, e, p}
			mem := make([]byte, 1<<17)
			mr, err := s.pd.Register(hca.Memory{Bytes: mem}, hca.AllAccess)
			if err != nil {
				t.Fatal(err)
			}
			for _, ulpdu := range []int{65535, 65534, 65533, 65532, 64769, 14, 18} {
				text := strings.Repeat("w", iwarp.TaggedPayload(ulpdu))
				id := e.ledger.enter(hca.StatusOK)
				if err := e.qp.PostRecv(hca.RecvWR{ID: id, Local: hca.Segment{Addr: mr.Addr() + 1<<16, Len: 1 << 16, Key: mr.LKey()}}); err != nil {
					t.Fatal(err)
				}
				more := strings.Repeat("s", max(0, iwarp.UntaggedPayload(ulpdu)))
				p.write(write(iwarp.STag(mr.RKey()), mr.Addr(), text), send(p.send, more))
				p.send++
				if wc := e.received(); int(wc.Len) != len(more) {
					t.Errorf("%d bytes came, want %d", wc.Len, len(more))
				}
				if string(mem[:len(text)]) != text || string(mem[1<<16:][:len(more)]) != more {
					t.Errorf("ULPDU of %d: other bytes came", ulpdu)
				}
				clear(mem)
			}
			w := x.wanted(0, 0)
			e.ledger.allow(w.id, hca.StatusOK)
			p.write(w.answer(""))
			e.done(hca.StatusOK)
			x.alive()
			if err := mr.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	s.bystander(t)
}
