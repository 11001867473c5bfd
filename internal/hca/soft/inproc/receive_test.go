package inproc_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// connect connects two ends whose adapters have a time of their own for a message without a receive.
func connect(t *testing.T, sender, receiver time.Duration) (a, b *softtest.End) {
	t.Helper()
	a = softtest.NewEndWith(t, "loop", 16, 4096, hca.Options{ReceiveWait: sender})
	b = softtest.NewEndWith(t, "loop", 16, 4096, hca.Options{ReceiveWait: receiver})
	softtest.Join(t, a, b)
	return a, b
}

func TestALateReceiveGetsTheMessage(t *testing.T) {
	a, b := connect(t, -1, time.Hour)
	must(t, a.QP.PostSend(hca.SendWR{ID: 1, Op: hca.OpSend, Local: part(a, 0, 100)}))
	must(t, a.QP.PostSend(hca.SendWR{ID: 2, Op: hca.OpWrite, Local: part(a, 0, 8), Remote: b.MR.Addr() + 2048, RKey: b.MR.RKey()}))
	if ready(a.SendCQ) {
		t.Fatal("a request is complete before its message has a receive, or overtook it")
	}
	clear(b.Mem)
	must(t, b.QP.PostRecv(hca.RecvWR{ID: 3, Local: part(b, 0, 4096)}))
	softtest.Await(t, b.RecvCQ)
	if wc := entries(t, b.RecvCQ, hca.StatusOK)[0]; wc.ID != 3 || wc.Len != 100 || !bytes.Equal(a.Mem[:100], b.Mem[:100]) {
		t.Errorf("the receive got another message: %+v", wc)
	}
	for i, wc := range entries(t, a.SendCQ, hca.StatusOK, hca.StatusOK) {
		if wc.ID != uint64(i+1) {
			t.Errorf("request %d completed as number %d", wc.ID, i+1)
		}
	}
}

// The time that a message waits is that of the adapter that has no receive.
func TestAMessageWaitsAsLongAsItsReceiverAllows(t *testing.T) {
	a, _ := connect(t, time.Hour, -1)
	must(t, a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Local: part(a, 0, 100)}))
	entries(t, a.SendCQ, hca.StatusReceiverNotReady)

	a, _ = connect(t, time.Hour, time.Millisecond)
	must(t, a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Local: part(a, 0, 100)}))
	softtest.Await(t, a.SendCQ) // nobody polls: the alarm ends the wait
	entries(t, a.SendCQ, hca.StatusReceiverNotReady)
}
