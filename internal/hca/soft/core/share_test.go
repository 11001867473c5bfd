package core

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// TestWhoeverSharesAQueueWaits: of two goroutines that make a completion queue shared, none goes on before the
// producer without a lock is done with its entry.
func TestWhoeverSharesAQueueWaits(t *testing.T) {
	q, _ := oneQP(t)
	c := q.SendCQ
	c.shared.Store(false)
	c.settled.Store(false)
	var entered atomic.Bool
	early := make(chan bool, 2)
	q.Tx.Lock()
	for range 2 {
		go func() {
			c.share()
			early <- !entered.Load()
		}()
		for !c.shared.Load() {
			runtime.Gosched()
		}
	}
	for i := 0; i < 1000 && len(early) == 0; i++ {
		runtime.Gosched() // it needs a few of these to be early
	}
	entered.Store(true)
	q.Tx.Leave()
	for range 2 {
		if <-early {
			t.Error("one went on while an entry was made without the lock")
		}
	}
}

// crossed is a connection to a queue pair of this process: the peer fills this side's receives inside its own gate.
type crossed struct {
	Transport
	peer *QP
}

func (x *crossed) Gates() (receiving, peer *atomic.Uint64) { return nil, &x.peer.Tx.Word }

// TestBothSidesShareTheirQueues: both ends of a connection in this process flush a late post at the same time, each
// inside its gate, and neither waits for the other.
func TestBothSidesShareTheirQueues(t *testing.T) {
	a, _ := oneQP(t)
	b, _ := oneQP(t)
	var inside, done atomic.Int32
	for _, x := range [...]struct{ q, peer *QP }{{a, b}, {b, a}} {
		var link Transport = &crossed{peer: x.peer}
		x.q.transport.Store(&link)
		x.q.SendCQ.shared.Store(false)
		x.q.SendCQ.settled.Store(false)
		x.q.leavingCQs.Store(true)
		x.q.Flush.Send = true // before
		go func() {
			var deferred Deferred
			x.q.Tx.Lock()
			x.q.Tx.Count(1, 1)
			x.q.SQ.Push(&hca.SendWR{Op: hca.OpSend})
			for inside.Add(1); inside.Load() < 2; {
				runtime.Gosched()
			}
			x.q.FlushSend(&deferred)
			x.q.Tx.Leave()
			done.Add(1)
		}()
	}
	for i := 0; done.Load() < 2; i++ {
		if i > 1_000_000 {
			t.Fatal("the two wait for each other")
		}
		runtime.Gosched()
	}
	for _, q := range [...]*QP{a, b} {
		q.transport.Store(nil)
		q.Flush.Send = false
	}
}
