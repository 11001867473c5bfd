package verbs

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// TestLate: a post waits only for a report that is due, and only once for each.
func TestLate(t *testing.T) {
	q := &qp{ad: &adapter{rxe: true}, state: connected}
	s := &q.send
	s.init(q, 2)
	check := func(what string, want bool) {
		t.Helper()
		if _, got := q.late(); got != want {
			t.Errorf("%s: %t", what, got)
		}
	}
	for seq := range uint64(2) {
		s.answered.Store(seq) // each answers the message before
		check("a queue with room", false)
		s.note(s.add(seq, sendRec{op: hca.OpSend}), seq)
		s.give(seq + 1)
	}
	check("an answered request", true)
	s.answered.Store(0)
	check("nothing answered", false)
	s.answered.Store(2)
	q.state = draining
	check("a connection that ends", false)
	q.state = connected
	q.ad.rxe = false
	check("another device", false)
	q.ad.rxe = true
	s.overdue, _ = q.late()
	check("waited for in vain", false)
	s.done.Store(1)
	check("one has ended", false)
	s.note(s.add(2, sendRec{op: hca.OpSend}), 2)
	s.give(3)
	check("the next", true)
}
