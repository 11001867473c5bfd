package core

import (
	"runtime"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/receives"
)

// TestAResizeMeetsALateReceive: a receive is posted while its queue pair is being closed, and makes its entry under the
// lock of the receive queue. A resize asks that queue what it has left, and does not keep the entry from being made.
func TestAResizeMeetsALateReceive(t *testing.T) {
	a := NewAdapter(NewAttr("test", "", 0), hca.Options{})
	pd, _ := a.NewPD()
	scq, _ := a.NewCQ(hca.CQConfig{Depth: 16})
	rcq, _ := a.NewCQ(hca.CQConfig{Depth: 16})
	made, err := a.NewQP(hca.QPConfig{PD: pd, SendCQ: scq, RecvCQ: rcq, SendDepth: 1, RecvDepth: 4})
	if err != nil {
		t.Fatal(err)
	}
	if err := made.PostRecv(hca.RecvWR{}); err != nil {
		t.Fatal(err)
	}
	if err := made.Close(); err != nil { // its flushed receive is not taken
		t.Fatal(err)
	}
	q, c := made.(*QP), rcq.(*CQ)
	c.share()
	q.RQ.Mu.Lock() // the rest of PostRecv
	q.RQ.Count()
	resized := make(chan error)
	go func() { resized <- c.Resize(32) }()
	for range 1000 {
		runtime.Gosched() // it gets as far as it can
	}
	entered := make(chan struct{})
	go func() {
		var deferred Deferred
		q.Received(&receives.Receive{Back: &q.RQ.Back}, hca.OpRecv, hca.StatusFlushed, 0, 0, 0, false, &deferred)
		q.RQ.Mu.UnlockFenced()
		close(entered)
	}()
	for i := 0; ; i++ {
		select {
		case <-entered:
			if err := <-resized; err != nil {
				t.Error(err)
			}
			a.Shutdown(func() {})
			return
		default:
			if i > 1_000_000 {
				t.Fatal("the two wait for each other")
			}
			runtime.Gosched()
		}
	}
}
