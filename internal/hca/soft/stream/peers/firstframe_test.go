package peers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// Row 74: a different frame in place of the agreed first one is handled as the initiator's first FPDU.
func TestOtherFirstFrame(t *testing.T) {
	for _, rtr := range []iwarp.RTR{iwarp.RTRWrite, iwarp.RTRRead, iwarp.RTRSend} {
		role := role{name: fmt.Sprintf("agreed on %03b", rtr), frame: enhanced(rtr, 4, 4), first: func() []byte { return nil }}
		t.Run(role.name, func(t *testing.T) {
			t.Parallel()
			s := newStation(t, hca.Options{ReceiveWait: -1})
			for name, first := range map[string]func(x *exchange) []byte{
				"a Send": func(x *exchange) []byte { x.p.send++; return send(1, "hello") },
				"a Send in two parts": func(x *exchange) []byte {
					x.p.send++
					return slices.Concat(sendPart(iwarp.OpSend, 1, 0, "", false), sendPart(iwarp.OpSend, 1, 0, "hello", true))
				},
				"a Write": func(x *exchange) []byte { return write(x.m().all.stag(), x.m().all.to(0), "hello") },
				"a large Write": func(x *exchange) []byte {
					return write(x.m().all.stag(), x.m().all.to(0), string(make([]byte, pieceSize)))
				},
				"a Write that goes on": func(x *exchange) []byte {
					return slices.Concat(tagged(iwarp.OpWrite, x.m().all.stag(), x.m().all.to(0), "", false), write(x.m().all.stag(), x.m().all.to(0), "hello"))
				},
				"a Read Request": func(x *exchange) []byte { x.p.request++; return readRequest(1, x.m().all.stag(), x.m().all.to(0), 8) },
			} {
				t.Run(name, func(t *testing.T) {
					v := s.listen(t)
					p := dial(t, v.address())
					p.sendRequest(role.frame)
					e := s.endpoint(t, depths{4, 4})
					result := e.accept(v.request(), nil)
					p.takeReply()
					x := &exchange{t, e, p}
					e.recv(16)
					x.may(x.m().recv, 0, 16)
					x.may(x.m().all, 0, pieceSize)
					p.write(first(x))
					e.established(result)
					if p.request == 2 {
						p.want(iwarp.OpReadResponse)
					}
					if p.send == 2 {
						e.received()
					}
					x.alive()
				})
			}
			s.bystander(t)
		})
	}
}

// begins is an accept of the usual responder whose peer sends these bytes first.
func (s *station) begins(t *testing.T, first []byte) (*endpoint, *peer, <-chan error) {
	t.Helper()
	v := s.listen(t)
	p := dial(t, v.address())
	p.sendRequest(responder.frame)
	e := s.endpoint(t, depths{4, 4})
	e.recv(8)
	result := e.accept(v.request(), nil)
	p.takeReply()
	p.write(first)
	return e, p, result
}

// If the first frame is malformed or cut, there is no connection, or one that breaks.
func TestBadFirstFrame(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	good := write(1, 0, "")
	var cases [][]byte
	for n := range good {
		cases = append(cases, good[:n])
		b := slices.Clone(good)
		b[n] ^= 1
		cases = append(cases, b)
	}
	cases = append(cases, seal(make([]byte, 8)), raw(0x41), edit(write(1, 0, ""), func(u []byte) { u[0] ^= 3 }), terminate(0x20, 0x06, 0, 0))
	for _, data := range cases {
		e, p, result := s.begins(t, data)
		p.fin()
		if err := e.outcome(result); err == nil {
			e.event(hca.EventEstablished)
			e.over(hca.EventBroken)
		} else {
			e.stock()
		}
		p.end().one(t, "close 2/0/0x02 2/0/0x03 1/0/0x00 1/1/0x04")
		if t.Failed() {
			t.Fatalf("first frame % x", data)
		}
	}
	s.bystander(t)
}

// TestFirstFrameOfNoFPDU: bytes that are no FPDU are refused as at any other place, and nobody says that the peer has left.
func TestFirstFrameOfNoFPDU(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	flipped := write(1, 0, "")
	flipped[len(flipped)-1] ^= 1
	for name, c := range map[string]struct {
		data  []byte
		cause iwarp.Cause
	}{
		"wrong CRC": {flipped, iwarp.CauseMPACRC},
		"length 0":  {seal(make([]byte, 8)), iwarp.CauseMPAMarker},
	} {
		t.Run(name, func(t *testing.T) {
			e, p, result := s.begins(t, c.data)
			p.end().one(t, reaction(c.cause))
			e.established(result)
			if err := e.over(hca.EventBroken); !strings.Contains(err.Error(), "not iWARP") {
				t.Errorf("the connection ended with %v", err)
			}
		})
	}
	s.bystander(t)
}
