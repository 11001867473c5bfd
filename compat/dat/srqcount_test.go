package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// threeOfFive is a side of whose five receives three have their messages, and what checks the counts of its queue.
func threeOfFive(t *testing.T) (a *side, q dat.SRQHandle, counts func(available, outstanding dat.Count)) {
	t.Helper()
	notIWARP(t, unwaited)
	a, q = sharedSide(t, 10)
	b := newSide(t, usual, nil)
	connect(a, b, usual)
	counts = func(available, outstanding dat.Count) {
		t.Helper()
		var p dat.SRQParam
		ok(t, dat.SRQQuery(q, dat.SRQFieldAll, &p))
		if p.AvailableDTOCount != available || p.OutstandingDTOCount != outstanding {
			t.Fatalf("available %d, outstanding %d; want %d, %d", p.AvailableDTOCount, p.OutstandingDTOCount, available, outstanding)
		}
	}
	for i := range 5 {
		ok(t, dat.SRQPostRecv(q, 1, a.mem.iov(64*i, 64), num(uint64(i))))
	}
	for i := range 3 {
		ok(t, dat.EPPostSend(b.ep, 1, b.mem.iov(0, 8), num(uint64(i)), 0))
		completion(t, b.req, dat.DTOSuccess)
	}
	queued(t, a.recv, 3) // a wait makes events of completions
	return a, q, counts
}

// TestAReceiveIsOutstandingUntilItsEventIsTaken: it does not matter whether its completion is an event already.
func TestAReceiveIsOutstandingUntilItsEventIsTaken(t *testing.T) {
	a, q, counts := threeOfFive(t)
	counts(2, 5)
	want(t, dat.SRQResize(q, 4), dat.InvalidState, dat.InvalidStateSRQInUse)
	ok(t, dat.SRQResize(q, 5))
	for outstanding := dat.Count(4); outstanding >= 2; outstanding-- {
		completion(t, a.recv, dat.DTOSuccess)
		counts(2, outstanding)
	}
	ok(t, dat.SRQResize(q, 2))
	counts(2, 2)
	// What the end of the connection flushes is events, too; what is left stays on the queue.
	ok(t, dat.EPFree(a.ep))
	counts(2, 2)
}

// TestAReceiveIsOutstandingBehindItsEndpoint: the events of an endpoint stay when it is freed, and so their receives are
// outstanding until the program has taken them. Endpoints without events are forgotten.
func TestAReceiveIsOutstandingBehindItsEndpoint(t *testing.T) {
	a, q, counts := threeOfFive(t)
	at := a.attr()
	ok(t, dat.EPFree(a.ep))
	counts(2, 5)
	for range 100 {
		var ep dat.EPHandle
		ok(t, dat.EPCreateWithSRQ(a.ia, a.pz, a.recv, a.req, a.conn, q, &at, &ep))
		ok(t, dat.EPFree(ep))
	}
	if n := dat.FormerEPs(q); n > 40 {
		t.Errorf("%d freed endpoints are remembered", n)
	}
	want(t, dat.SRQResize(q, 4), dat.InvalidState, dat.InvalidStateSRQInUse)
	for outstanding := dat.Count(4); outstanding >= 2; outstanding-- {
		completion(t, a.recv, dat.DTOSuccess)
		counts(2, outstanding)
	}
	ok(t, dat.SRQResize(q, 2))
	ok(t, dat.SRQFree(q))
}
