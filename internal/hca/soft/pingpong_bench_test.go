package soft_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// BenchmarkTCPPingPong sends a 64-byte message there and back; both sides poll.
func BenchmarkTCPPingPong(b *testing.B) {
	x, y := softtest.Connect(b, "tcp", 64, 4096)
	send := func(e *softtest.End) hca.SendWR {
		return hca.SendWR{Op: hca.OpSend, Flags: hca.Suppress, Local: hca.Segment{Addr: e.MR.Addr(), Len: 64, Key: e.MR.LKey()}}
	}
	recv := func(e *softtest.End) hca.RecvWR {
		return hca.RecvWR{Local: hca.Segment{Addr: e.MR.Addr() + 64, Len: 64, Key: e.MR.LKey()}}
	}
	turn := func(e *softtest.End) bool {
		var wc [4]hca.WC
		for e.RecvCQ.Poll(wc[:]) == 0 {
		}
		return wc[0].Status == hca.StatusOK && e.QP.PostRecv(recv(e)) == nil
	}
	for range 8 {
		if x.QP.PostRecv(recv(x)) != nil || y.QP.PostRecv(recv(y)) != nil {
			b.Fatal("receive")
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for turn(y) && y.QP.PostSend(send(y)) == nil {
		}
	}()
	b.ReportAllocs()
	for b.Loop() {
		if x.QP.PostSend(send(x)) != nil || !turn(x) {
			b.Fatal("send")
		}
	}
	x.QP.Close()
	<-done
}
