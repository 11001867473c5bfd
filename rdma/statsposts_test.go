package rdma_test

import (
	"runtime"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TestStatsCountEveryPost: plain posts and polled receives have ways of their own on each path, and are counted
// there, too.
func TestStatsCountEveryPost(t *testing.T) {
	for _, name := range append([]string{"soft-shm"}, paths...) {
		t.Run(name, func(t *testing.T) {
			if name == "soft-shm" && runtime.GOOS != "linux" {
				t.Skip("shared memory is for Linux")
			}
			a, b := connect(t, name)
			take := func(from func([]rdma.Completion) int) {
				t.Helper()
				var c [1]rdma.Completion
				for from(c[:]) == 0 {
					runtime.Gosched()
				}
				if c[0].Status != rdma.StatusOK {
					t.Fatal(c[0].Err())
				}
			}
			const n = 50
			for range n {
				if err := b.conn.PostRecv(rdma.Recv{Into: b.mem.Slice(64, 64)}); err != nil {
					t.Fatal(err)
				}
				if err := a.conn.PostWrite(rdma.Write{From: a.mem.Slice(0, 8), To: b.mem.Slice(0, 8).Remote()}); err != nil {
					t.Fatal(err)
				}
				take(a.conn.SendCompletions().Poll)
				if b.conn.RecvCompletions().Poll(make([]rdma.Completion, 1)) != 0 { // a receiver that polls
					t.Fatal("a message that nobody has sent")
				}
				if err := a.conn.PostSend(rdma.Send{From: a.mem.Slice(0, 8)}); err != nil {
					t.Fatal(err)
				}
				take(b.conn.RecvCompletions().Poll)
				take(a.conn.SendCompletions().Poll)
			}
			want := rdma.OpStats{Operations: n, Bytes: 8 * n}
			if s := a.conn.Stats(); s.Ops[rdma.OpWrite] != want || s.Ops[rdma.OpSend] != want {
				t.Errorf("%+v writes and %+v sends, want %+v", s.Ops[rdma.OpWrite], s.Ops[rdma.OpSend], want)
			}
			if s := b.conn.Stats(); s.Ops[rdma.OpRecv] != want {
				t.Errorf("%+v receives, want %+v", s.Ops[rdma.OpRecv], want)
			}
		})
	}
}
