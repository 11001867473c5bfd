package peers_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// Streams that end too early: rows 20 and 67 to 69.

// A cut is a place, in bytes, at which a peer's stream ends.
type cut struct {
	at       int
	between  bool // between messages: nothing is missing
	received int  // whole Sends before it
}

// script is what a peer sends up to the cut: a Send in two segments, a Write, an empty Send.
func script(m *memory) (data []byte, cuts []cut) {
	messages := [][][]byte{
		{sendPart(iwarp.OpSend, 1, 0, "hello", false), sendPart(iwarp.OpSend, 1, 5, ", world", true)},
		{write(m.all.stag(), m.all.to(0), "abcdef")},
		{send(2, "")},
	}
	received := 0
	cuts = append(cuts, cut{0, true, 0})
	for _, segments := range messages {
		for i, b := range segments {
			for range len(b) {
				data = append(data, b[0])
				b = b[1:]
				cuts = append(cuts, cut{at: len(data), received: received})
			}
			if i == len(segments)-1 {
				if segments[0][3]&0xf == byte(iwarp.OpSend) {
					received++
				}
				cuts[len(cuts)-1] = cut{len(data), true, received}
			}
		}
	}
	return data, cuts
}

func TestCut(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, how := range []string{"FIN", "RST"} {
		for _, r := range roles {
			t.Run(how+"/"+r.name, func(t *testing.T) {
				t.Parallel()
				_, cuts := script(newMemory(t, s.pd, s.foreign))
				for _, c := range cuts {
					c.run(t, s, r, how == "RST")
				}
				s.bystander(t)
			})
		}
	}
}

func (c *cut) run(t *testing.T, s *station, r role, reset bool) {
	t.Helper()
	e, p := s.open(t, r, depths{4, 4})
	data, _ := script(e.mem)
	for i := range 3 {
		id := e.recv(16)
		if i < c.received && !reset {
			e.ledger.allow(id, hca.StatusOK)
		} else if i < c.received {
			e.ledger.allow(id, hca.StatusOK, hca.StatusFlushed) // a reset may overtake
		}
	}
	e.may = append(e.may, e.mem.recv.span(0, 16), e.mem.all.span(0, 6))
	p.write(data[:c.at])
	if reset {
		p.reset()
		e.over(hca.EventBroken)
		return
	}
	p.fin()
	want := hca.EventBroken
	if c.between {
		want = hca.EventDisconnected
	}
	if end := p.end(); end.String() != "close" {
		t.Errorf("cut at %d: reaction %v", c.at, end)
	}
	if err := e.over(want); c.between && !errors.Is(err, hca.Disconnected) {
		t.Errorf("cut at %d: %v", c.at, err)
	}
	if t.Failed() {
		t.Fatalf("cut at byte %d", c.at)
	}
}

// Row 20 is a length that promises more than arrives.
func TestCutAfterLength(t *testing.T) {
	var cases []badCase
	for _, n := range []int{2, 3, 16, 20, 1000, 65535, 65536} {
		cases = append(cases, badCase{
			row: 20, name: fmt.Sprintf("length 65535, %d bytes come", n), want: "close", fin: true,
			data: func(x *exchange) []byte {
				b := iwarp.AppendTagged(nil, iwarp.TaggedHeader{Op: iwarp.OpWrite, Last: true, STag: x.m().all.stag(), TO: iwarp.TO(x.m().all.to(0))},
					[]byte(strings.Repeat("x", iwarp.TaggedPayload(iwarp.MaxULPDU))), true)
				return b[:n]
			},
		})
	}
	runCases(t, cases)
}

// Row 69: reads are under way when the peer ends its side.
func TestCutWithReadsUnderWay(t *testing.T) {
	runCases(t, []badCase{{
		row: 69, name: "no answer", want: "close", fin: true, idle: true,
		data: func(x *exchange) []byte {
			x.wanted(0, 16)
			x.wanted(32, 8)
			return nil
		},
	}, {
		row: 69, name: "half an answer", want: "close", fin: true, idle: true,
		data: func(x *exchange) []byte {
			w := x.wanted(0, 16)
			x.may(x.m().sink, 0, 8)
			return w.part(0, "abcdefgh", false)
		},
	}, {
		row: 69, name: "one answer of two", want: "close", fin: true, idle: true,
		data: func(x *exchange) []byte {
			w := x.wanted(0, 8)
			x.wanted(32, 8)
			x.e.ledger.allow(w.id, hca.StatusOK)
			x.may(x.m().sink, 0, 8)
			return w.answer("abcdefgh")
		},
	}})
}

// A peer may answer and close at once. Answered requests are complete.
func TestFinBehindTheAnswer(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, r := range roles {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			e, p := s.open(t, r, depths{4, 4})
			x := &exchange{t, e, p}
			first, second := x.wanted(0, 8), x.wanted(8, 8)
			e.ledger.allow(first.id, hca.StatusOK)
			e.ledger.allow(second.id, hca.StatusOK)
			x.may(e.mem.sink, 0, 16)
			p.write(slices.Concat(first.answer("abcdefgh"), second.answer("ijklmnop")))
			p.fin()
			p.end().one(t, "close")
			e.over(hca.EventDisconnected)
			e.mem.holds(t, e.mem.sink.span(0, 16), "abcdefghijklmnop")
		})
	}
}
