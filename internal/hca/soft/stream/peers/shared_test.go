package peers_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// Receives that several connections share: a peer that violates the protocol breaks the receive that it has,
// and no other.
func TestSharedReceives(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{ReceiveWait: -1})
	for name, c := range map[string]struct {
		data   func() []byte
		want   string
		status hca.Status // of the receive; flushed if it was only begun
		takes  bool
	}{
		"cut":         {func() []byte { return sendPart(iwarp.OpSend, 1, 0, "hello", false) }, "close", hca.StatusFlushed, true},
		"wrong MO":    {func() []byte { return parts(0, 9) }, "1/2/0x04", hca.StatusFlushed, true},
		"too long":    {func() []byte { return send(1, "more than sixteen") }, "1/2/0x05", hca.StatusLocalLength, true},
		"wrong first": {func() []byte { return send(2, "hello") }, "1/2/0x03", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			srq, err := s.pd.NewSRQ(hca.SRQConfig{Depth: 8})
			if err != nil {
				t.Fatal(err)
			}
			a, b := s.endpointOn(t, depths{4, 4}, srq), s.endpointOn(t, depths{4, 4}, srq)
			for i := range uint64(3) {
				if err := srq.PostRecv(hca.RecvWR{ID: 100 + i, Local: a.mem.recv.segment(16*int(i), 16)}); err != nil {
					t.Fatal(err)
				}
			}
			pa, pb := s.reach(t, a), s.reach(t, b)
			a.may = []span{a.mem.recv.span(0, 48)}
			pa.write(c.data())
			if c.want == "close" {
				pa.fin()
			}
			pa.end().one(t, c.want)
			a.event(hca.EventBroken)
			a.event(hca.EventLastReceive)
			a.drain()
			a.mem.untouched(t, a.may)
			next := uint64(100)
			if c.takes {
				if got := a.ledger.entries[next]; len(got) != 1 || got[0].Status != c.status {
					t.Errorf("the receive that was begun: %+v, want %v", got, c.status)
				}
				next++
			}
			if got := len(a.ledger.entries); got != int(next-100) {
				t.Errorf("%d receives ended with the connection", got)
			}
			pb.write(send(1, "hello"))
			if wc := b.rcq.next(t); wc.ID != next || wc.Status != hca.StatusOK {
				t.Errorf("the other connection: %+v, want receive %d", wc, next)
			}
			a.mem.holds(t, a.mem.recv.span(16*int(next-100), 5), "hello")
			if available, _ := srq.Counts(); available != int(102-next) {
				t.Errorf("%d receives are left", available)
			}
			pb.fin()
			b.event(hca.EventDisconnected)
			b.event(hca.EventLastReceive)
			a.close()
			b.close()
			if err := srq.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	s.bystander(t)
}

// reach makes the connection of an endpoint.
func (s *station) reach(t testing.TB, e *endpoint) *peer {
	t.Helper()
	v := s.listen(t)
	p := dial(t, v.address())
	p.sendRequest(plain1)
	result := e.accept(v.request(), nil)
	p.takeReply()
	e.established(result)
	return p
}
