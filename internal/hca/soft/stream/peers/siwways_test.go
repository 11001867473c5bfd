package peers_test

import (
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// What programs of C over siw do, or take badly. They have no peer-to-peer mode, no CRC and no reads.

// siwFrame is the request of such a peer.
func siwFrame() iwarp.Frame {
	return iwarp.Frame{Revision: iwarp.Revision2, Enhanced: true}
}

// TestFramesBehindTheReply: a responder that does not wait for the initiator's first frame sends its own with
// the reply.
func TestFramesBehindTheReply(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	without := initiator.frame
	without.CRC, without.IRD, without.ORD = false, 0, 0
	for name, frame := range map[string]iwarp.Frame{"CRC and reads": initiator.frame, "neither": without} {
		t.Run(name, func(t *testing.T) {
			h := listen(t)
			e := s.endpoint(t, depths{4, 4})
			e.recv(8)
			result := e.connect(h.address(), nil)
			p := h.accept()
			p.takeRequest()
			x := &exchange{t, e, p}
			x.may(e.mem.all, 0, 4)
			x.may(e.mem.recv, 0, 8)
			p.write(slices.Concat(replyBytes(t, frame), write(e.mem.all.stag(), e.mem.all.to(0), "entr"), send(1, "message")))
			p.send = 2
			e.established(result)
			if wc := e.received(); wc.Len != 7 {
				t.Errorf("received %d bytes", wc.Len)
			}
			e.mem.holds(t, e.mem.all.span(0, 4), "entr")
			p.want(iwarp.OpWrite)
			x.alive()
		})
	}
	s.bystander(t)
}

// TestResponderHoldsItsFrames: siw's initiator breaks the connection if one byte comes behind the reply.
func TestResponderHoldsItsFrames(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for name, op := range map[string]hca.Op{"a write": hca.OpWrite, "a send": hca.OpSend} {
		t.Run(name, func(t *testing.T) {
			e, p := s.open(t, role{name: "siw", frame: siwFrame()}, depths{4, 4})
			p.nudged = true // a greeting is a frame, too
			e.post(hca.SendWR{Op: op, Local: e.mem.src.segment(0, 8), RKey: 7}, hca.StatusOK)
			if f, err := p.nextWithin(150 * time.Millisecond); err == nil {
				t.Fatalf("behind the reply came %+v", f)
			}
			p.write(write(0, 0, ""))
			want := iwarp.OpWrite
			if op == hca.OpSend {
				want = iwarp.OpSend
			}
			if f := p.want(want); len(f.Payload) != 8 {
				t.Errorf("the first frame is %+v", f)
			}
			e.done(hca.StatusOK)
			(&exchange{t, e, p}).alive()
		})
	}
	s.bystander(t)
}

// TestReadsOnBehindItsEnd: what a peer sends before it has seen this side's end must not bring it a reset, which could
// destroy the last message on its way.
func TestReadsOnBehindItsEnd(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, r := range roles {
		t.Run(r.name, func(t *testing.T) {
			e, p := s.open(t, r, depths{4, 4})
			p.write(write(1, 0, ""))
			e.post(hca.SendWR{Op: hca.OpSend, Local: e.mem.src.segment(0, 8)}, hca.StatusOK)
			if err := e.qp.Disconnect(true); err != nil {
				t.Fatal(err)
			}
			p.want(iwarp.OpSend)
			if _, err := p.next(); !errors.Is(err, io.EOF) {
				t.Fatalf("got %v, want the end of the stream", err)
			}
			for range 3 {
				if _, err := p.conn.Write(write(1, 0, "")); err != nil {
					t.Fatalf("behind the end: %v", err)
				}
				s.bystander(t)
			}
			p.fin()
			e.over(hca.EventDisconnected)
		})
	}
	s.bystander(t)
}
