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
	d := x.conn.SendCompletions()
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

// BenchmarkShmPolledMessage is a message to a receiver that has polled in vain before, like a
// caller that waits for an answer.
func BenchmarkShmPolledMessage(b *testing.B) {
	x, y := connect(b, "soft-shm")
	const size = 64
	into := rdma.Recv{Into: y.mem.Slice(size, size)}
	from := rdma.Send{From: x.mem.Slice(0, size), Flags: rdma.NoCompletion}
	d, other, c := y.conn.RecvCompletions(), x.conn.RecvCompletions(), make([]rdma.Completion, 4)
	b.ReportAllocs()
	for b.Loop() {
		if err := y.conn.PostRecv(into); err != nil {
			b.Fatal(err)
		}
		if d.Poll(c) != 0 {
			b.Fatal("a message that nobody has sent")
		}
		if err := x.conn.PostSend(from); err != nil {
			b.Fatal(err)
		}
		for d.Poll(c) == 0 {
		}
		if c[0].Status != rdma.StatusOK {
			b.Fatal(c[0].Err())
		}
		other.Poll(c) // takes what the other side has told
	}
}
