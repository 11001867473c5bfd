package inproc_test

import (
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// Close of the side with the receives: what waits for one is flushed at its peer.
func TestCloseFlushesWhatWaitsForAReceive(t *testing.T) {
	a, b := connect(t, time.Hour, time.Hour)
	must(t, b.QP.PostRecv(hca.RecvWR{Local: part(b, 0, 100)}))
	for range 3 {
		must(t, a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Local: part(a, 0, 100)}))
	}
	must(t, b.QP.Close())
	entries(t, a.SendCQ, hca.StatusOK, hca.StatusFlushed, hca.StatusFlushed)
	entries(t, b.RecvCQ, hca.StatusOK)
	must(t, a.QP.Close())
	if ready(a.SendCQ) || ready(b.RecvCQ) {
		t.Error("a request or receive completed twice")
	}
}

// Close of the side that sends, while a message fills a receive: the receive is flushed, and not touched after.
func TestCloseInsideAMessage(t *testing.T) {
	const size = 16 * rawmem.PieceSize
	for range 8 {
		a, b := softtest.Connect(t, "loop", 16, size)
		must(t, b.QP.PostRecv(hca.RecvWR{Local: part(b, 0, size)}))
		must(t, b.QP.PostRecv(hca.RecvWR{Local: part(b, 0, size)}))
		must(t, a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Local: part(a, 0, size)}))
		must(t, a.QP.Close())
		sent := softtest.PollN(t, a.SendCQ, 1)[0].Status
		received := softtest.PollN(t, b.RecvCQ, 2)
		if sent != received[0].Status || received[1].Status != hca.StatusFlushed {
			t.Errorf("sent: %v; received: %v, %v", sent, received[0].Status, received[1].Status)
		}
		clear(b.Mem)
		must(t, b.QP.Close())
		for i := range b.Mem {
			if b.Mem[i] != 0 {
				t.Fatalf("byte %d of a receive was written after its completion", i)
			}
		}
		must(t, a.A.Close())
		must(t, b.A.Close())
	}
}

// A graceful end carries out what was posted before it.
func TestDisconnectDrainsFirst(t *testing.T) {
	a, b := softtest.Connect(t, "loop", 16, 4*rawmem.PieceSize)
	for range 3 {
		must(t, a.QP.PostSend(hca.SendWR{Op: hca.OpWrite, Local: part(a, 0, len(a.Mem)), Remote: b.MR.Addr(), RKey: b.MR.RKey()}))
	}
	must(t, a.QP.Disconnect(true))
	entries(t, a.SendCQ, hca.StatusOK, hca.StatusOK, hca.StatusOK)
	must(t, b.QP.PostRecv(hca.RecvWR{Local: part(b, 0, 8)}))
	entries(t, b.RecvCQ, hca.StatusFlushed)
}
