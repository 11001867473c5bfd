package soft

import (
	"sync/atomic"
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

// gated is a transport that has a receiving half, and nothing else.
type gated struct {
	transport
	rx rxGate
}

func (g *gated) gates() (receiving, peer *atomic.Uint64) { return &g.rx.word, nil }

// TestACallerInsideBothGatesSharesTheQueue is the end of a connection over shared memory:
// it is inside both gates of its queue pair, and must not wait for itself.
func TestACallerInsideBothGatesSharesTheQueue(t *testing.T) {
	a := newAdapter(newAttr("test", "", 0), hca.Options{})
	defer a.close(func() {})
	pd, _ := a.NewPD()
	queue, _ := a.NewCQ(hca.CQConfig{Depth: 16})
	made, err := a.NewQP(hca.QPConfig{PD: pd, SendCQ: queue, RecvCQ: queue, SendDepth: 4, RecvDepth: 4})
	if err != nil {
		t.Fatal(err)
	}
	q, c := made.(*qp), new(gated)
	var link transport = c
	q.link.Store(&link)
	q.tx.lock()
	c.rx.lock()
	q.scq.shared.Store(false)
	q.scq.shareBut(q) // a wait for one of the gates would not end
	c.rx.leave()
	q.tx.leave()
	q.link.Store(nil)
	if !q.scq.shared.Load() {
		t.Error("the queue is not shared")
	}
}
