package peers_test

import (
	"slices"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// A message of each operation, cut after each of its bytes: rows 20, 67 and 68.

// A cutMessage is a message of a peer.
type cutMessage struct {
	name string
	// data prepares this side for the message, and makes it.
	data  func(x *exchange) []byte
	begun bool // it answers a read or atomic operation of this side
	takes bool // it takes a receive
	roles []role
	last  bool // the connection ends with it
	// between lists the bytes at which one of several messages ends.
	between []int
}

func cutMessages() []cutMessage {
	all := func(x *exchange) (iwarp.STag, uint64) { return x.m().all.stag(), x.m().all.to(0) }
	request := func(make func(x *exchange) []byte) func(x *exchange) []byte {
		return func(x *exchange) []byte { x.p.request++; return make(x) }
	}
	list := []cutMessage{
		{name: "Send", takes: true, data: func(*exchange) []byte { return send(1, "hello") }},
		{name: "Send of nothing", takes: true, data: func(*exchange) []byte { return send(1, "") }},
		{name: "Send with Solicited Event", takes: true, data: func(*exchange) []byte { return sendPart(iwarp.OpSendSE, 1, 0, "hello", true) }},
		{name: "Send in three segments", takes: true, data: func(*exchange) []byte {
			return slices.Concat(sendPart(iwarp.OpSend, 1, 0, "hel", false), sendPart(iwarp.OpSend, 1, 3, "", false), sendPart(iwarp.OpSend, 1, 3, "lo", true))
		}},
		{name: "Send with Invalidate", takes: true, data: func(x *exchange) []byte {
			stag, _ := x.window(hca.EndpointWindow)
			return sendInv(iwarp.OpSendInv, stag, 1, 0, "hello", true)
		}},
		{name: "Send with Invalidate and Solicited Event", takes: true, data: func(x *exchange) []byte {
			stag, _ := x.window(hca.EndpointWindow)
			return sendInv(iwarp.OpSendSEInv, stag, 1, 0, "hello", true)
		}},
		{name: "Write", data: func(x *exchange) []byte { stag, to := all(x); return write(stag, to, "hello") }},
		{name: "Write in two segments", data: func(x *exchange) []byte {
			stag, to := all(x)
			return slices.Concat(tagged(iwarp.OpWrite, stag, to, "hel", false), write(stag, to+3, "lo"))
		}},
		{name: "Read Request", data: request(func(x *exchange) []byte {
			stag, to := all(x)
			return readRequest(1, stag, to, 8)
		})},
		{name: "Read Response", begun: true, data: func(x *exchange) []byte { return x.wanted(0, 8).answer("abcdefgh") }},
		{name: "Read Response of nothing", begun: true, data: func(x *exchange) []byte { return x.wanted(0, 0).answer("") }},
		{name: "Read Response in two segments", begun: true, data: func(x *exchange) []byte {
			w := x.wanted(0, 8)
			return slices.Concat(w.part(0, "abc", false), w.part(3, "defgh", true))
		}},
		{name: "Terminate", last: true, data: func(*exchange) []byte { return terminate(0x11, 0x00, 0, 0) }},
	}
	for _, m := range []cutMessage{
		{name: "Atomic Request", data: request(func(x *exchange) []byte { stag, to := all(x); return fetchAdd(1, stag, to) })},
		{name: "Atomic Response", begun: true, data: func(x *exchange) []byte {
			x.p.write(send(1, "")) // its greeting must have arrived, or the request waits
			x.p.send++
			x.e.received()
			x.e.post(hca.SendWR{Op: hca.OpFetchAdd, Local: x.m().sink.segment(0, 8), Remote: 0x1000, RKey: 0xabcd02, Operand: 1}, hca.StatusFlushed)
			var r iwarp.AtomicRequest
			if err := iwarp.ParseAtomicRequest(x.p.want(iwarp.OpAtomicRequest).Payload, &r); err != nil {
				x.t.Fatal(err)
			}
			return iwarp.AppendAtomicResponse(nil, 1, iwarp.AtomicResponse{ID: r.ID, Original: 7}, true)
		}},
		{name: "Immediate Data", takes: true, data: func(*exchange) []byte { return immediate(1) }},
		{name: "Write with Immediate Data", takes: true, between: []int{len(write(0, 0, "hello"))}, data: func(x *exchange) []byte {
			stag, to := all(x)
			return slices.Concat(write(stag, to, "hello"), immediate(1))
		}},
	} {
		m.roles = ownRoles
		list = append(list, m)
	}
	return list
}

func TestCutEachMessage(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, m := range cutMessages() {
		in := m.roles
		if in == nil {
			in = roles
		}
		for _, r := range in {
			for _, how := range []string{"FIN", "RST"} {
				t.Run(m.name+"/"+how+"/"+r.name, func(t *testing.T) {
					t.Parallel()
					for at, more := 0, true; more; at++ {
						more = m.run(t, s, r, at, how == "RST")
						if t.Failed() {
							t.Fatalf("cut at byte %d", at)
						}
					}
					s.bystander(t)
				})
			}
		}
	}
}

// run cuts the message at one byte. It reports whether there are more.
func (m *cutMessage) run(t *testing.T, s *station, r role, at int, reset bool) (more bool) {
	t.Helper()
	e, p := s.open(t, r, depths{4, 4})
	x := &exchange{t, e, p}
	e.recv(16)
	e.recv(16)
	data := m.data(x)
	whole := at == len(data)
	x.may(e.mem.recv, 0, 32)
	x.may(e.mem.all, 0, 8)
	x.may(e.mem.sink, 0, 8)
	p.write(data[:at])
	// The result, as far as this side has certainly seen all bytes: a reset may overtake bytes.
	ends := func(id uint64, whole bool) {
		switch {
		case whole && reset:
			e.ledger.allow(id, hca.StatusOK, hca.StatusFlushed)
		case whole:
			e.ledger.allow(id, hca.StatusOK)
		}
	}
	if m.takes {
		ends(e.recvs[int(p.send)-1], whole)
	}
	if m.begun {
		ends(e.ledger.last, whole)
	}
	want := hca.EventBroken
	if reset {
		p.reset()
		ev := e.anyEvent()
		if ev.Kind != want {
			t.Errorf("event %d (%v), want %d", ev.Kind, ev.Err, want)
		}
		e.end(ev)
		return !whole
	}
	p.fin()
	if whole && !m.last || at == 0 && !m.begun || slices.Contains(m.between, at) {
		want = hca.EventDisconnected
	}
	if end := p.end(); end.String() != "close" {
		t.Errorf("cut at %d: reaction %v", at, end)
	}
	e.over(want)
	return !whole
}
