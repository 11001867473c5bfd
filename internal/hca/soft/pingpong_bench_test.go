package soft_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// BenchmarkTCPPingPong is a 64-byte message there and back, both sides polling.
func BenchmarkTCPPingPong(b *testing.B) {
	x, y := connect(b, "tcp", 64, 4096)
	send := func(e *end) hca.SendWR {
		return hca.SendWR{Op: hca.OpSend, Flags: hca.Suppress, Local: hca.Segment{Addr: e.mr.Addr(), Len: 64, Key: e.mr.LKey()}}
	}
	recv := func(e *end) hca.RecvWR {
		return hca.RecvWR{Local: hca.Segment{Addr: e.mr.Addr() + 64, Len: 64, Key: e.mr.LKey()}}
	}
	turn := func(e *end) bool {
		var wc [4]hca.WC
		for e.rcq.Poll(wc[:]) == 0 {
		}
		return wc[0].Status == hca.StatusOK && e.qp.PostRecv(recv(e)) == nil
	}
	for range 8 {
		if x.qp.PostRecv(recv(x)) != nil || y.qp.PostRecv(recv(y)) != nil {
			b.Fatal("receive")
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for turn(y) && y.qp.PostSend(send(y)) == nil {
		}
	}()
	b.ReportAllocs()
	for b.Loop() {
		if x.qp.PostSend(send(x)) != nil || !turn(x) {
			b.Fatal("send")
		}
	}
	x.qp.Close()
	<-done
}
