package core

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/receives"
)

// TestLostEntriesOccupyNothing: entries that an overflow drops are never taken, so their requests and receives give
// their places back at once. A shared receive queue outlives the connections that the overflow breaks.
func TestLostEntriesOccupyNothing(t *testing.T) {
	const depth = 8
	a := NewAdapter(NewAttr("test", "", 0), hca.Options{})
	a.Engine.Halt()
	defer a.Shutdown(func() {})
	pd, _ := a.NewPD()
	small, _ := a.NewCQ(hca.CQConfig{Depth: 2})
	shared, err := pd.NewSRQ(hca.SRQConfig{Depth: depth})
	if err != nil {
		t.Fatal(err)
	}
	made, err := a.NewQP(hca.QPConfig{PD: pd, SendCQ: small, RecvCQ: small, SendDepth: depth, SRQ: shared})
	if err != nil {
		t.Fatal(err)
	}
	q := made.(*QP)
	var deferred Deferred
	q.Tx.Lock()
	for range depth {
		if err := shared.PostRecv(hca.RecvWR{}); err != nil {
			t.Fatal(err)
		}
		var r receives.Receive
		if !q.NextReceive(&r) {
			t.Fatal("there is no receive")
		}
		q.Received(&r, hca.OpRecv, hca.StatusOK, 0, 0, 0, false, &deferred)
		if q.Tx.Count(depth, 1) != 1 {
			t.Fatal("a send was refused although all others are complete")
		}
		q.Complete(&hca.SendWR{Op: hca.OpSend}, 0, hca.StatusOK, &deferred)
	}
	q.Tx.Leave()
	var wcs [2 * depth]hca.WC
	if n := small.Poll(wcs[:]); n != 2 {
		t.Fatalf("%d entries in a queue for 2", n)
	}
	if _, used := shared.Counts(); used != 0 {
		t.Errorf("%d receives of the shared queue are out, of none", used)
	}
	if n := q.Tx.Used(); n != 0 {
		t.Errorf("%d requests are out, of none", n)
	}
}
