package core

import (
	"slices"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/receives"
)

// caller is a connection that notes when it is called because of a receive, and then tries to take one, unless it is
// slow.
type caller struct {
	Transport
	q    *QP
	slow bool
	log  *[]*QP
	got  int
}

func (c *caller) ReceivePosted() {
	*c.log = append(*c.log, c.q)
	if !c.slow {
		c.try()
	}
}

func (c *caller) try() bool {
	var r receives.Receive
	ok := c.q.NextReceive(&r)
	if ok {
		c.got++
	}
	return ok
}

// callers returns a shared receive queue, and n connections of it whose messages wait.
func callers(t *testing.T, n int) (s *SRQ, all []*caller, log *[]*QP) {
	t.Helper()
	a := NewAdapter(NewAttr("test", "", 0), hca.Options{})
	a.Engine.Halt()
	t.Cleanup(func() { a.Shutdown(func() {}) })
	s, log = &SRQ{pd: &PD{Adapter: a}}, new([]*QP)
	s.Limit, s.Back.Many = 128, true
	for range n {
		q := &QP{Adapter: a, SRQ: s, RQ: &s.Queue}
		c := &caller{q: q, log: log}
		tr := Transport(c)
		q.transport.Store(&tr)
		all = append(all, c)
		if c.try() {
			t.Fatal("a receive of nobody")
		}
	}
	return s, all, log
}

func (c *caller) post(t *testing.T) {
	t.Helper()
	if err := c.q.SRQ.PostRecv(hca.RecvWR{}); err != nil {
		t.Fatal(err)
	}
}

// TestOneReceiveCallsOneConnection: with a hundred connections that wait, each receive costs one attempt, and they
// have their turns in the order in which they came.
func TestOneReceiveCallsOneConnection(t *testing.T) {
	_, all, log := callers(t, 100)
	for i, c := range all {
		c.post(t)
		if len(*log) != i+1 || (*log)[i] != c.q || c.got != 1 {
			t.Fatalf("receive %d: %d calls so far, and %d messages of its connection have a receive", i, len(*log), c.got)
		}
	}
	all[0].post(t)
	if len(*log) != len(all) {
		t.Error("a connection was called that does not wait")
	}
}

// TestSlowConnectionsKeepTheirTurn: a connection that tries later than it was called blocks no other one, and if its
// receive is gone by then, the next one is its own.
func TestSlowConnectionsKeepTheirTurn(t *testing.T) {
	s, all, log := callers(t, 3)
	for _, c := range all {
		c.slow = true
	}
	all[0].post(t)
	all[0].post(t)
	if !slices.Equal(*log, []*QP{all[0].q, all[1].q}) {
		t.Fatalf("two receives made %d calls", len(*log))
	}
	thief := &caller{q: &QP{SRQ: s, RQ: &s.Queue}, log: log}
	if !thief.try() || !all[1].try() || all[0].try() {
		t.Fatal("two receives are for those that come first")
	}
	*log = nil
	all[0].post(t)
	if !slices.Equal(*log, []*QP{all[0].q}) || !all[0].try() {
		t.Fatal("the connection that was called in vain is not the next one")
	}
	all[0].post(t)
	if !slices.Equal(*log, []*QP{all[0].q, all[2].q}) || !all[2].try() {
		t.Fatal("the last connection was not called")
	}
}

// TestTurnsAreNotLostWithTheirConnection: a connection that finds a receive by itself is not called for it any more, and
// one that ends leaves its turn to the next.
func TestTurnsAreNotLostWithTheirConnection(t *testing.T) {
	s, all, log := callers(t, 4)
	for _, c := range all {
		c.slow = true
	}
	all[0].post(t)
	if !all[1].try() || all[0].try() { // 1 was not called, and is faster
		t.Fatal("the receive is for the connection that comes first")
	}
	all[0].post(t)
	*log = nil
	all[0].q.SRQ.leaveTurn(all[0].q) // called, and over
	for s.pd.Adapter.Engine.Step() {
	}
	if !slices.Equal(*log, []*QP{all[2].q}) || !all[2].try() {
		t.Fatalf("%d calls after the end of a connection, of one that waits", len(*log))
	}
	s.refs = 1
	s.detach(all[3].q)
	if s.called != 0 || len(s.waiting) != 0 {
		t.Errorf("%d called and %d waiting, of none", s.called, len(s.waiting))
	}
}
