package rdma_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
)

// BenchmarkShmMessage is what BenchmarkTCPMessage is, over shared memory. It has no
// system calls in it, and no cache line goes to another processor: all of it is the
// library's own.
func BenchmarkShmMessage(b *testing.B) { benchMessage(b, "soft-shm") }

// BenchmarkShmEmptyPoll looks for what is not there.
func BenchmarkShmEmptyPoll(b *testing.B) { benchEmptyPoll(b, "soft-shm") }

// BenchmarkShmWrite8 is BenchmarkWrite8 one at a time, over shared memory.
func BenchmarkShmWrite8(b *testing.B) {
	x, y := connect(b, "soft-shm")
	from, to := x.mem.Slice(0, 8), y.mem.Slice(0, 8).Remote()
	d := x.conn.Requests()
	var done [1]rdma.Completion
	w := rdma.Write{From: from, To: to}
	b.ReportAllocs()
	for b.Loop() {
		if err := x.conn.PostWrite(w); err != nil {
			b.Fatal(err)
		}
		for d.Poll(done[:]) == 0 {
		}
		if done[0].Status != rdma.StatusOK {
			b.Fatal(done[0].Err())
		}
	}
}
