package rdmatest

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// TestALateQueueIsSignalled, also if nothing else happens in the world.
func TestALateQueueIsSignalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWorld(t, 1)
		w.Late(time.Second, Which{})
		w.Settle()
		<-time.After(time.Millisecond)
		told := make(chan bool, 1)
		q := &worldCQ{a: &worldAdapter{h: &Host{w: w}}, name: "q", notify: func() { told <- true }, armed: true}
		if w.lateness(q) == 0 {
			t.Error("it is not late")
		}
		select {
		case <-told:
		case <-time.After(2 * time.Second):
			t.Error("it stays late")
		}
	})
}

// TestNothingIsLateBehindTheEnd: what is posted when a connection is over is flushed, and that is not late.
func TestNothingIsLateBehindTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWorld(t, 1)
		a, b := w.Pair(w.Host("a"), w.Host("b"))
		into, err := b.Zone().Alloc(64, mem.All)
		check(t, err)
		w.Late(time.Minute, Which{})
		check(t, a.Abort())
		<-b.Context().Done()
		takes := b.Endpoint().RecvCompletions()
		for i := range uint64(3) {
			if _, err := takes.Dequeue(); err == nil { // which tells the queue that all was taken
				t.Error("a completion of nothing")
			}
			check(t, b.PostRecv(rdma.Recv{Into: into.All(), Cookie: i}))
			w.Settle()
			if c, err := takes.Dequeue(); err != nil || c.Cookie != i || c.Status != rdma.StatusFlushed {
				t.Errorf("receive %d: %v %v", i, c.Status, err)
			}
		}
	})
}

// entries is a queue with so many entries.
type entries struct {
	hca.CQ
	n int
}

func (q *entries) Poll(dst []hca.WC) int {
	n := min(q.n, len(dst))
	q.n -= n
	return n
}

// TestAPollFindsAllThatIsThere: less than it has asked for means that there is no more, also behind what was late.
func TestAPollFindsAllThatIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWorld(t, 1)
		w.Late(time.Second, Nth(1))
		below := &entries{n: 2}
		q := &worldCQ{cq: &cq{CQ: below}, a: &worldAdapter{h: &Host{w: w}}, name: "q"}
		var dst [8]hca.WC
		for _, step := range []struct {
			do   func()
			most int
			want int
		}{
			{func() {}, 8, 0},
			{func() { below.n = 4 }, 8, 0},
			{func() { <-time.After(2 * time.Second) }, 1, 1},
			{func() {}, 8, 5},
			{func() { below.n = 3 }, 2, 2},
			{func() {}, 2, 1},
		} {
			step.do()
			if n := q.Poll(dst[:step.most]); n != step.want {
				t.Errorf("a poll for %d finds %d, want %d", step.most, n, step.want)
			}
		}
	})
}

// TestSeveralLate: each counts by itself, and of two that are due at the same poll one takes the next.
func TestSeveralLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWorld(t, 1)
		q := &worldCQ{a: &worldAdapter{h: &Host{w: w}}, name: "q"}
		for _, n := range []int{4, 2, 2} {
			w.Late(time.Second, Nth(n))
		}
		for i, want := range []bool{false, true, true, true, false} {
			if late := w.lateness(q) != 0; late != want {
				t.Errorf("poll %d is late: %v", i+1, late)
			}
		}
	})
}
