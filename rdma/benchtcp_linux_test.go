package rdma_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// The benchmarks of messages over TCP on one goroutine: on loopback a message has
// arrived when the call that sends it returns. So nobody waits for anybody, and what
// remains beside the two system calls is the library's own.

// BenchmarkTCPMessage is a message of 64 bytes: posted, taken, its receive posted
// again.
func BenchmarkTCPMessage(b *testing.B) { benchMessage(b, "soft-tcp") }

func benchMessage(b *testing.B, path string) {
	x, y := connect(b, path)
	turn := pingPong(b, x, y, 64)
	turn()
	b.ReportAllocs()
	for b.Loop() {
		turn()
	}
}

// BenchmarkTCPWrite8 is BenchmarkWrite8 one at a time, over TCP: posted, taken, and placed by the peer's poll.
func BenchmarkTCPWrite8(b *testing.B) {
	x, y := connect(b, "soft-tcp")
	from, to := x.mem.Slice(0, 8), y.mem.Slice(0, 8).Remote()
	d, placed := x.conn.SendCompletions(), y.conn.RecvCompletions()
	var done, none [1]rdma.Completion
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
		placed.Poll(none[:])
	}
}

// BenchmarkTCPMessageBare is what BenchmarkTCPMessage does to two sockets.
func BenchmarkTCPMessageBare(b *testing.B) {
	x, y := bareSockets(b)
	msg, buf := make([]byte, 88), make([]byte, 512<<10)
	turn := func(from, to int) {
		if n := bareSend(from, msg); n != len(msg) {
			b.Fatal(n)
		}
		for bareReceive(to, buf) < 0 {
		}
	}
	for b.Loop() {
		turn(x, y)
		turn(y, x)
	}
}

// BenchmarkTCPEmptyPoll looks for what is not there.
func BenchmarkTCPEmptyPoll(b *testing.B) { benchEmptyPoll(b, "soft-tcp") }

func benchEmptyPoll(b *testing.B, path string) {
	x, _ := connect(b, path)
	var c [4]rdma.Completion
	d := x.conn.RecvCompletions()
	for b.Loop() {
		d.Poll(c[:])
	}
}

// BenchmarkTCPEmptyPollBare is what BenchmarkTCPEmptyPoll does to a socket.
func BenchmarkTCPEmptyPollBare(b *testing.B) {
	x, _ := bareSockets(b)
	buf := make([]byte, 512<<10)
	for b.Loop() {
		bareReceive(x, buf)
	}
}

// BenchmarkTCPWrite1MiB is a write of 1 MiB, whose data is taken by the same
// goroutine.
func BenchmarkTCPWrite1MiB(b *testing.B) {
	const size = 1 << 20
	x, y := connect(b, "soft-tcp")
	ours, err := x.zone.Alloc(size, mem.All)
	must(b, err)
	theirs, err := y.zone.Alloc(size, mem.All)
	must(b, err)
	d := x.conn.SendCompletions()
	var c [1]rdma.Completion
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		must(b, x.conn.PostWrite(rdma.Write{From: ours.All(), To: theirs.Remote()}))
		for d.Poll(c[:]) == 0 {
			y.conn.RecvCompletions().Poll(c[:])
		}
	}
}
