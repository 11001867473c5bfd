package core

import (
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/gate"
)

// TestAPostThatIsLateSharesTheQueue: a post that was admitted just before its queue pair was closed makes its
// entry when the completion queue has one other producer, which uses no lock as long as it is alone.
func TestAPostThatIsLateSharesTheQueue(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	a := NewAdapter(NewAttr("test", "", 0), hca.Options{})
	defer a.Shutdown(func() {})
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
	if scq.(*CQ).shared.Load() {
		t.Fatal("the queue of one queue pair is shared")
	}
	// The rest of PostSend, after it has checked the state.
	q := former.(*QP)
	_, inside := q.Tx.CountIn(4)
	q.enqueueUnconnected(&hca.SendWR{ID: 7, Op: hca.OpSend}, inside)
	var wcs [4]hca.WC
	if n := scq.Poll(wcs[:]); n != 1 || wcs[0].ID != 7 || wcs[0].Status != hca.StatusFlushed {
		t.Fatalf("%d entries, the first %+v", n, wcs[0])
	}
	if !scq.(*CQ).shared.Load() {
		t.Fatal("the late entry was made as if no other queue pair could make one")
	}
}

// gated is a transport that has a receive half, and nothing else.
type gated struct {
	Transport
	rx gate.Recv
}

func (g *gated) Gates() (receiving, peer *atomic.Uint64) { return &g.rx.Word, nil }

// TestACallerInsideBothGatesSharesTheQueue: at the end of a connection over shared memory, the caller is inside
// both gates of its queue pair, and must not wait for itself.
func TestACallerInsideBothGatesSharesTheQueue(t *testing.T) {
	a := NewAdapter(NewAttr("test", "", 0), hca.Options{})
	defer a.Shutdown(func() {})
	pd, _ := a.NewPD()
	queue, _ := a.NewCQ(hca.CQConfig{Depth: 16})
	made, err := a.NewQP(hca.QPConfig{PD: pd, SendCQ: queue, RecvCQ: queue, SendDepth: 4, RecvDepth: 4})
	if err != nil {
		t.Fatal(err)
	}
	q, c := made.(*QP), new(gated)
	var link Transport = c
	q.transport.Store(&link)
	q.Tx.Lock()
	c.rx.Lock()
	q.SendCQ.shared.Store(false)
	q.SendCQ.settled.Store(false)
	q.SendCQ.shareExcept(q) // a wait for one of the gates would not end
	c.rx.Leave()
	q.Tx.Leave()
	q.transport.Store(nil)
	if !q.SendCQ.shared.Load() {
		t.Error("the queue is not shared")
	}
}
