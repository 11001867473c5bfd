package sendhalf_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// TestConsumersAreToldOutside: a consumer may post when it is told of an entry, so it is told when the gate is left;
// each once, however many there are.
func TestConsumersAreToldOutside(t *testing.T) {
	for n := 1; n <= 6; n++ {
		for _, marked := range []bool{false, true} {
			lanes := newLanes(t, n+1)
			l, late := lanes[0], lanes[n]
			lanes = lanes[:n]
			for _, o := range lanes {
				must(t, o.cq.Arm())
			}
			l.hold(t)
			for i, o := range lanes[1:] {
				o.arrives(uint64(i), &l.After)
			}
			wr := request(1, hca.OpSend)
			l.q.Tx.Count(depth, 1)
			l.q.SQ.Push(&wr)
			l.Pump(&l.After)
			if marked {
				l.post(t, 2)
				must(t, late.cq.Arm())
				l.during = func() { late.arrives(9, &l.After) }
			}
			for i, o := range lanes {
				if o.told != 0 {
					t.Errorf("of %d: consumer %d was told inside", n, i)
				}
			}
			l.LeaveSend()
			for i, o := range lanes {
				if o.told != 1 || o.held {
					t.Errorf("of %d, marked %t: consumer %d was told %d times, inside a gate: %t", n, marked, i, o.told, o.held)
				}
			}
			if marked && (late.told != 1 || l.cq.Entered() != 2) {
				t.Errorf("of %d: of the work that came last, %d entries are there, and %d consumers were told", n, l.cq.Entered(), late.told)
			}
			if inside(l) || !l.After.None() {
				t.Errorf("of %d, marked %t: inside %t, work left %t", n, marked, inside(l), !l.After.None())
			}
		}
	}
}

// TestTheOtherWork: a queue pair that is to run its send half runs it behind the gate, too.
func TestTheOtherWork(t *testing.T) {
	l := newLane(t)
	l.hold(t)
	ran := false
	l.during = func() { ran = true }
	l.After.Run(l.q) // without a connection of its own, a run of it finds the gate free, and leaves it
	l.LeaveSend()
	if ran || inside(l) || !l.After.None() {
		t.Errorf("the path ran %t, inside %t, work left %t", ran, inside(l), !l.After.None())
	}
}

// TestAConnectionThatIsOverFlushes: what is posted then is flushed by the path, and nothing is started.
func TestAConnectionThatIsOverFlushes(t *testing.T) {
	l := newLane(t)
	l.q.State.Store(core.StateOver)
	l.post(t, 1)
	l.did(t, "flush")
	if !l.q.SQ.Empty() || l.cq.Entered() != 1 || inside(l) {
		t.Errorf("queue empty %t, %d entries, inside %t", l.q.SQ.Empty(), l.cq.Entered(), inside(l))
	}
}
