package peers_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// The boundaries of reads and writes have no meaning: rows 72, 73 and 75.

// Row 72: one byte in each write, from the startup to the end.
func TestByteByByte(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	drip := func(p *peer, b []byte) {
		for i := range b {
			p.write(b[i : i+1])
		}
	}
	talk := func(x *exchange) {
		x.may(x.m().recv, 0, 64)
		x.may(x.m().all, 0, 5)
		x.may(x.m().sink, 0, 8)
		all := x.m().all
		x.e.recv(64)
		drip(x.p, slices.Concat(write(all.stag(), all.to(0), "first"), sendPart(iwarp.OpSend, 1, 0, "hello", false), sendPart(iwarp.OpSend, 1, 5, ", world", true)))
		if wc := x.e.received(); wc.Len != 12 {
			x.t.Errorf("%d bytes came", wc.Len)
		}
		x.m().holds(x.t, x.m().recv.span(0, 12), "hello, world")
		x.m().holds(x.t, all.span(0, 5), "first")
		x.p.send = 2
		drip(x.p, readRequest(1, all.stag(), all.to(0), 5))
		if s := x.p.want(iwarp.OpReadResponse); string(s.Payload) != "first" {
			x.t.Errorf("read %q", s.Payload)
		}
		w := x.wanted(0, 8)
		x.e.ledger.allow(w.id, hca.StatusOK)
		drip(x.p, slices.Concat(w.part(0, "abc", false), w.part(3, "defgh", true)))
		x.e.done(hca.StatusOK)
		x.m().holds(x.t, x.m().sink.span(0, 8), "abcdefgh")
		x.alive()
	}
	t.Run("responder", func(t *testing.T) {
		v := s.listen(t)
		p := dial(t, v.address())
		f := responder.frame
		f.Private = []byte("private")
		drip(p, requestBytes(t, f))
		e := s.endpoint(t, depths{4, 4})
		result := e.accept(v.request(), nil)
		p.takeReply()
		drip(p, write(1, 0, ""))
		e.established(result)
		talk(&exchange{t, e, p})
	})
	t.Run("initiator", func(t *testing.T) {
		h := listen(t)
		e := s.endpoint(t, depths{4, 4})
		result := e.connect(h.address(), nil)
		p := h.accept()
		p.takeRequest()
		f := initiator.frame
		f.Private = []byte("private")
		drip(p, replyBytes(t, f))
		if info := e.established(result); string(info.Private) != "private" {
			t.Errorf("connected with %+v", info)
		}
		p.want(iwarp.OpWrite)
		talk(&exchange{t, e, p})
	})
	s.bystander(t)
}

// Row 73: many FPDUs without effect, in one write.
func TestManyEmptyWrites(t *testing.T) {
	cases := []badCase{{
		row: 73, name: "1000 Writes of length zero", want: "accept", data: func(*exchange) []byte {
			return slices.Repeat(write(0xdead, 0xbeef, ""), 1000)
		},
	}, {
		row: 73, name: "50000 Writes of length zero", want: "accept", data: func(x *exchange) []byte {
			var wg sync.WaitGroup
			wg.Go(func() { x.p.write(slices.Repeat(write(0xdead, 0xbeef, ""), 50_000)) })
			for range 20 { // others run meanwhile
				x.e.s.bystander(x.t)
			}
			wg.Wait()
			return nil
		},
	}, {
		row: 73, name: "1000 reads of length zero, one by one answered", want: "accept", data: func(x *exchange) []byte {
			for range 1000 {
				x.p.write(readRequest(x.p.request, 1, 0, 0))
				x.p.request++
				x.p.want(iwarp.OpReadResponse)
			}
			return nil
		},
	}}
	runCases(t, cases)
}

// Row 75: FPDUs in the same write as the reply, or beginning there.
func TestGluedToTheReply(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, rev := range []iwarp.Frame{plain1, initiator.frame, enhanced(iwarp.RTRRead, 16, 16)} {
		for _, n := range []int{1, 2, 3, 16, 31, 32, 33, 63, 64, 5000, 70000} {
			t.Run(fmt.Sprintf("revision %d, RTR %03b, %d bytes", rev.Revision, rev.RTR, n), func(t *testing.T) {
				h := listen(t)
				e := s.endpoint(t, depths{4, 4})
				e.recv(64)
				e.recv(64)
				x := &exchange{t, e, nil}
				x.may(e.mem.recv, 0, 128)
				result := e.connect(h.address(), nil)
				x.p = h.accept()
				x.p.takeRequest()
				data := slices.Concat(send(1, "hello"), send(2, "world"))
				x.p.send = 3
				data = append(data, slices.Repeat(write(0xdead, 1, ""), 5000)...)
				x.p.write(replyBytes(t, rev), data[:n])
				e.established(result)
				x.p.write(data[n:])
				for _, want := range []string{"hello", "world"} {
					if wc := e.received(); wc.Len != uint64(len(want)) {
						t.Errorf("%d bytes came", wc.Len)
					}
				}
				e.mem.holds(t, e.mem.recv.span(0, 5), "hello")
				e.mem.holds(t, e.mem.recv.span(64, 5), "world")
				switch rev.RTR {
				case iwarp.RTRWrite:
					x.p.want(iwarp.OpWrite)
				case iwarp.RTRRead:
					x.p.write(x.firstRead().answer(""))
				}
				x.alive()
			})
		}
	}
	s.bystander(t)
}
