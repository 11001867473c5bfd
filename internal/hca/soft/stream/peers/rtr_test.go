package peers_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// The peer-to-peer model (RFC 6581): the initiator's first frame.

// firstFrames are those frames, and how a peer must react to them.
var firstFrames = map[iwarp.RTR]struct {
	data   func() []byte
	counts func(p *peer) // which sequence number they advance
}{
	iwarp.RTRWrite: {func() []byte { return write(1, 0, "") }, func(*peer) {}},
	iwarp.RTRRead:  {func() []byte { return readRequest(1, 1, 0, 0) }, func(p *peer) { p.request++ }},
	iwarp.RTRSend:  {func() []byte { return send(1, "") }, func(p *peer) { p.send++ }},
}

// A responder chooses one of the offered frames, and is established when that arrives.
func TestFirstFrameAsResponder(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for offer := range iwarp.RTR(8) {
		t.Run(fmt.Sprintf("offer %03b", offer), func(t *testing.T) {
			v := s.listen(t)
			p := dial(t, v.address())
			p.sendRequest(enhanced(offer, 4, 4))
			e := s.endpoint(t, depths{4, 4})
			e.recv(8)
			result := e.accept(v.request(), nil)
			f := p.takeReply()
			first, ok := firstFrames[f.RTR]
			if !f.Enhanced || !f.PeerToPeer || !ok || offer != 0 && f.RTR&offer == 0 {
				t.Fatalf("the reply is %+v", f)
			}
			if len(result)+len(e.events) > 0 {
				t.Error("established before the first frame")
			}
			if err := e.qp.PostSend(hca.SendWR{Op: hca.OpSend}); !errors.Is(err, hca.State) {
				t.Errorf("a post before the first frame: %v", err)
			}
			data := first.data()
			p.write(data[:len(data)-1])
			p.write(data[len(data)-1:])
			first.counts(p)
			e.established(result)
			if f.RTR == iwarp.RTRRead {
				if s := p.want(iwarp.OpReadResponse); s.STag != sinkSTag || s.TO != sinkTO || len(s.Payload) > 0 || !s.Last {
					t.Errorf("the first frame was answered with %+v", s)
				}
			}
			(&exchange{t, e, p}).readable()
			(&exchange{t, e, p}).alive()
		})
	}
	s.bystander(t)
}

// readable reads memory of this side, with the next sequence number.
func (x *exchange) readable() {
	x.t.Helper()
	all := x.m().all
	x.p.write(readRequest(x.p.request, all.stag(), all.to(3), 5))
	x.p.request++
	s := x.p.want(iwarp.OpReadResponse)
	if string(s.Payload) != string(x.m().array[all.off+3:][:5]) || s.STag != sinkSTag || s.TO != sinkTO {
		x.t.Errorf("read %+v", s)
	}
}

// An initiator begins with the frame that the reply has chosen.
func TestFirstFrameAsInitiator(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	open := func(t *testing.T, rtr iwarp.RTR, depth iwarp.Depth) *exchange {
		h := listen(t)
		e := s.endpoint(t, depths{4, 4})
		result := e.connect(h.address(), nil)
		p := h.accept()
		f := p.takeRequest()
		if !f.Enhanced || !f.PeerToPeer || f.RTR != iwarp.RTRWrite|iwarp.RTRRead || f.IRD != 4 || f.ORD != 4 || f.Revision != 2 {
			t.Errorf("the request is %+v", f)
		}
		p.sendReply(enhanced(rtr, depth, depth))
		e.established(result)
		return &exchange{t, e, p}
	}
	t.Run("Write", func(t *testing.T) {
		x := open(t, iwarp.RTRWrite, 4)
		if s := x.p.want(iwarp.OpWrite); len(s.Payload) > 0 || !s.Last {
			t.Errorf("the first frame is %+v", s)
		}
		x.readable()
		x.alive()
	})
	t.Run("Read", func(t *testing.T) {
		x := open(t, iwarp.RTRRead, 4)
		first := x.firstRead()
		second := x.wanted(0, 8)
		x.may(x.m().sink, 0, 8)
		x.e.ledger.allow(second.id, hca.StatusOK)
		x.p.write(first.answer(""), second.answer("abcdefgh"))
		x.e.done(hca.StatusOK)
		x.m().holds(t, x.m().sink.span(0, 8), "abcdefgh")
		x.readable()
		x.alive()
	})
	t.Run("Read, wrong answer", func(t *testing.T) {
		x := open(t, iwarp.RTRRead, 4)
		first := x.firstRead()
		x.e.recv(8)
		x.p.write(first.answer("x"))
		x.p.end().one(t, "1/1/0x01 1/1/0x00")
		x.e.over(hca.EventBroken)
	})
	t.Run("Read, one at a time", func(t *testing.T) {
		x := open(t, iwarp.RTRRead, 1)
		first := x.firstRead()
		x.may(x.m().sink, 0, 8)
		id := x.e.readAt(0, 8)
		x.e.ledger.allow(id, hca.StatusOK, hca.StatusFlushed)
		if s, err := x.p.nextWithin(100 * time.Millisecond); err == nil {
			t.Fatalf("the peer can take one read, and has got a second: %+v", s)
		}
		x.p.write(first.answer(""))
		var r wantedRead
		if err := iwarp.ParseReadRequest(x.p.want(iwarp.OpReadRequest).Payload, &r.ReadRequest); err != nil {
			t.Fatal(err)
		}
		x.p.write(r.answer("abcdefgh"))
		x.e.done(hca.StatusOK)
		x.alive()
	})
}

func (x *exchange) firstRead() (w wantedRead) {
	x.t.Helper()
	s := x.p.want(iwarp.OpReadRequest)
	if err := iwarp.ParseReadRequest(s.Payload, &w.ReadRequest); err != nil || w.Size != 0 || s.MSN != 1 {
		x.t.Fatalf("the first frame is %+v, %v", s, err)
	}
	return w
}
