package soft

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// TestAPostThatIsLateSharesTheQueue: a post that was admitted just before its queue pair was
// closed makes its entry when another is alone on the completion queue, which needs no lock
// for its own entries as long as it is.
func TestAPostThatIsLateSharesTheQueue(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	a := newAdapter(newAttr("test", "", 0), hca.Options{})
	defer a.close(func() {})
	pd, err := a.NewPD()
	must(err)
	scq, err := a.NewCQ(hca.CQConfig{Depth: 16})
	must(err)
	rcq, err := a.NewCQ(hca.CQConfig{Depth: 16})
	must(err)
	cfg := hca.QPConfig{PD: pd, SendCQ: scq, RecvCQ: rcq, SendDepth: 4, RecvDepth: 4}
	former, err := a.NewQP(cfg)
	must(err)
	must(former.Close())
	if _, err = a.NewQP(cfg); err != nil {
		t.Fatal(err)
	}
	if scq.(*cq).shared.Load() {
		t.Fatal("the queue of one queue pair is shared")
	}
	// The rest of PostSend, behind the look at the state.
	q := former.(*qp)
	_, inside := q.tx.countIn(4)
	q.enqueueAlone(&hca.SendWR{ID: 7, Op: hca.OpSend}, inside)
	var wcs [4]hca.WC
	if n := scq.Poll(wcs[:]); n != 1 || wcs[0].ID != 7 || wcs[0].Status != hca.StatusFlushed {
		t.Fatalf("%d entries, the first %+v", n, wcs[0])
	}
	if !scq.(*cq).shared.Load() {
		t.Fatal("the late entry was made as if no other queue pair could make one")
	}
}
