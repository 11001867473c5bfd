package stream_test

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/hca/soft/stream"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
)

// TestRetransmitsOutliveTheSocket: what TCP has sent again counts also if nobody has looked before the end.
func TestRetransmitsOutliveTheSocket(t *testing.T) {
	a, b := softtest.Connect(t, "tcp", 4, 64)
	ours, theirs := stream.Socket(a.QP), stream.Socket(b.QP)
	nothing := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K} // the peer's socket takes no segment
	if err := unix.SetsockoptSockFprog(theirs, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &nothing}); err != nil {
		t.Skip("no filters for sockets here: ", err)
	}
	a.Post(t, hca.SendWR{Op: hca.OpSend, Local: hca.Segment{Addr: a.MR.Addr(), Len: 8, Key: a.MR.LKey()}})
	want := uint64(0)
	for want == 0 {
		runtime.Gosched()
		want, _ = wire.Resent(ours)
	}
	if err := unix.SetsockoptInt(theirs, unix.SOL_SOCKET, unix.SO_DETACH_FILTER, 0); err != nil {
		t.Fatal(err)
	}
	if err := a.A.Close(); err != nil {
		t.Fatal(err)
	}
	var s hca.QPStats
	if !a.QP.(hca.QPStatsReader).ReadStats(&s, hca.NewPatience(false)) || s.Retransmits < want {
		t.Errorf("%d segments were sent again, want %d at least", s.Retransmits, want)
	}
}
