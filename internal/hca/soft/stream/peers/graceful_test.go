package peers_test

import (
	"errors"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// Graceful ends, with a peer that takes its time.

func TestGracefulWithSlowPeer(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, r := range roles {
		t.Run(r.name, func(t *testing.T) {
			e, p := s.open(t, r, depths{4, 4})
			x := &exchange{t, e, p}
			p.write(write(1, 0, ""))
			p.silent = false
			k := newStuck(t, s, p)
			e.recv(8)
			x.may(e.mem.sink, 0, 8)
			e.ledger.allow(e.readAt(0, 8), hca.StatusOK)
			local := hca.Segment{Addr: k.Addr(), Len: uint32(len(k.bytes)), Key: k.LKey()}
			for range 2 {
				e.post(hca.SendWR{Op: hca.OpWrite, Local: local, RKey: 7}, hca.StatusOK)
			}
			e.post(hca.SendWR{Op: hca.OpSend, Local: e.mem.src.segment(0, 8)}, hca.StatusOK)
			if err := e.qp.Disconnect(true); err != nil {
				t.Fatal(err)
			}
			if err := e.qp.PostSend(hca.SendWR{Op: hca.OpSend}); !errors.Is(err, hca.State) {
				t.Errorf("a post behind the disconnect: %v", err)
			}
			s.bystander(t)
			read := x.nextRead()
			for range 2 {
				x.arrives(iwarp.OpWrite, k.bytes)
			}
			x.arrives(iwarp.OpSend, e.mem.array[e.mem.src.off:][:8])
			if len(e.events) > 0 {
				t.Error("it ended with a read under way")
			}
			p.write(read.answer("abcdefgh"))
			p.end().one(t, "close")
			if err := e.over(hca.EventDisconnected); err != nil {
				t.Errorf("our own disconnect is reported with %v", err)
			}
			if err := k.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	s.bystander(t)
}

// What the peer has requested before is still answered.
func TestGracefulAnswersReads(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, r := range roles {
		t.Run(r.name, func(t *testing.T) {
			e, p := s.open(t, r, depths{4, 4})
			k := newStuck(t, s, p)
			p.write(k.request(1), readRequest(2, e.mem.all.stag(), e.mem.all.to(0), 5))
			first := p.want(iwarp.OpReadResponse)
			if err := e.qp.Disconnect(true); err != nil {
				t.Fatal(err)
			}
			end := p.end()
			end.one(t, "close")
			small := end.segments[len(end.segments)-1]
			if string(small.Payload) != string(e.mem.array[e.mem.all.off:][:5]) {
				t.Errorf("the second answer is %+v", small)
			}
			end.segments = append([]iwarp.Segment{first}, end.segments[:len(end.segments)-1]...)
			k.close(t, end, 2)
			e.over(hca.EventDisconnected)
		})
	}
}

// A peer that breaks the connection during a graceful end turns that into a broken one.
func TestGracefulBroken(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for name, breaks := range map[string]func(p *peer){
		"FIN": (*peer).fin, "RST": (*peer).reset,
		"Terminate":    func(p *peer) { p.write(terminate(0x11, 0x01, 0, 0)) },
		"a bad answer": func(p *peer) { p.write(response(7, 7, "abcdefgh")) },
	} {
		for _, r := range roles {
			t.Run(name+"/"+r.name, func(t *testing.T) {
				e, p := s.open(t, r, depths{4, 4})
				x := &exchange{t, e, p}
				e.recv(8)
				w := x.wanted(0, 8)
				e.post(hca.SendWR{Op: hca.OpWrite, Local: e.mem.src.segment(0, 8), RKey: 7}, hca.StatusOK, hca.StatusFlushed)
				if err := e.qp.Disconnect(true); err != nil {
					t.Fatal(err)
				}
				if name == "a bad answer" {
					e.ledger.allow(w.id, hca.StatusBadResponse)
				}
				breaks(p)
				e.over(hca.EventBroken)
			})
		}
	}
	s.bystander(t)
}
