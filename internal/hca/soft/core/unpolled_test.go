package core

import (
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/conns"
)

// announcer is a connection that says when it is polled.
type announcer struct {
	bringer
	unpolled int
}

func (*announcer) AnnouncesPolls() {}
func (a *announcer) Unpolled()     { a.unpolled++ }
func (*announcer) Guarded() bool   { return true }

// waiter has requests waiting.
type waiter struct{}

func (*waiter) SendCoalesced() {}
func (*waiter) Waits() bool    { return false }

// TestArmingOneQueueEndsThePollingForBoth: the consumer of the other one is perhaps the same.
func TestArmingOneQueueEndsThePollingForBoth(t *testing.T) {
	q := &QP{SendCQ: newQueue(t, hca.CQConfig{Depth: 4}), RecvCQ: newQueue(t, hca.CQConfig{Depth: 4})}
	var all [conns.Few + 1]announcer
	for i := range all {
		q.SendCQ.AddConn(&all[i])
		q.RecvCQ.AddConn(&all[i])
	}
	var flags [2]atomic.Bool
	for _, c := range []*CQ{q.SendCQ, q.RecvCQ} {
		for range 2 {
			if err := c.Arm(); err != nil {
				t.Fatal(err)
			}
		}
		if all[0].unpolled = 0; !c.Nothing() {
			t.Error("something, where nobody was polled")
		}
		if q.NotePolled(&all[0], &flags); c.Nothing() {
			t.Error("nothing, beside a connection that was polled")
		}
		if err := c.Arm(); err != nil {
			t.Fatal(err)
		}
		if all[0].unpolled != 1 {
			t.Errorf("the connection was told %d times", all[0].unpolled)
		}
		var noted atomic.Bool
		if c.NoteCoalesced(&waiter{}, &noted); c.Nothing() {
			t.Error("nothing, beside requests that wait")
		}
		if c.sendCoalesced(); !c.Nothing() {
			t.Error("something, when they have left")
		}
	}
}
