package stream

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/park"
)

// parkedWire can be left to a consumer.
type parkedWire struct{ *feedWire }

func (parkedWire) park(*park.Park) int { return 3 }
func (parkedWire) unpark()             {}

// TestArmingEndsThePollingOfOneOfMany: a connection that a consumer has polled, or has slept at, is back with the
// adapter when the consumer sleeps for many, also the second time.
func TestArmingEndsThePollingOfOneOfMany(t *testing.T) {
	a := stalled(t)
	f := feed(t, a, emptyWrite(), 1, 0)
	f.c.w = parkedWire{f.w}
	for range 100 {
		other := feed(t, a, emptyWrite(), 1, 0).c
		f.cq.AddConn(other)
		defer f.cq.RemoveConn(other)
	}
	f.cq.AddConn(f.c)
	defer f.cq.RemoveConn(f.c)
	for range 2 {
		f.c.Poll(f.cq, nil)
		f.armed(t, "polled")
		f.c.Polled.Store(true) // by the consumer of another queue, which has not noted it yet
		f.c.Poll(f.cq, nil)
		f.armed(t, "polled by two")
		if fd := f.c.Park(f.cq, nil); fd < 0 {
			t.Fatal("the connection is not parked")
		}
		f.c.Unpark(f.cq)
		f.armed(t, "parked")
	}
}

// TestAPollBesideAnArmingLeavesTheConnectionArmed: the connection has two queues. While the consumer of one queue polls it,
// the consumer of the other queue arms, and that arming comes before the poll ends a stall. So the poll itself arms the
// connection for input.
func TestAPollBesideAnArmingLeavesTheConnectionArmed(t *testing.T) {
	a := stalled(t)
	f := feed(t, a, emptyWrite(), 1, 1)
	var armed []bool
	w := &armedWire{feedWire: f.w, arm: func(rx bool) { armed = append(armed, rx) }}
	f.c.w = w
	f.w.onRead = func() { // in the middle of the poll
		f.c.stalled.Store(true)
		f.c.Unpolled()
		f.c.stalled.Store(false)
	}
	f.c.Poll(f.cq, nil)
	if len(armed) < 2 || armed[0] || !armed[len(armed)-1] {
		t.Errorf("armed for input: %t, want not in the middle, and at the end", armed)
	}
	armed, f.w.onRead, f.w.left = nil, nil, 1
	if f.c.Poll(f.cq, nil); len(armed) > 0 {
		t.Error("a poll beside nothing arms the connection")
	}
	if !f.c.Watched.Load() {
		t.Error("a connection that is polled is not watched")
	}
}

// armedWire reports whether it is armed for input.
type armedWire struct {
	*feedWire
	arm func(rx bool)
}

func (w *armedWire) Arm(rx, _ bool) { w.arm(rx) }

// armed arms the queue of a connection that counts as polled.
func (f *fed) armed(t *testing.T, what string) {
	t.Helper()
	var wcs [1]hca.WC
	if !f.c.Polled.Load() {
		t.Fatalf("a connection that was %s does not count as polled", what)
	}
	if err := f.cq.Arm(); err != nil {
		t.Fatal(err)
	}
	if f.c.Polled.Load() {
		t.Errorf("a connection that was %s counts as polled after arming", what)
	}
	f.cq.Poll(wcs[:]) // the queue is armed no more
	f.cq.DisarmDescriptors(false)
}
