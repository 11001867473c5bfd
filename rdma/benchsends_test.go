package rdma_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
)

// BenchmarkSend64Rate and BenchmarkTCPSend64Rate keep 16 messages of 64 bytes under way to a receiver that posts each
// receive again, on one goroutine.
func BenchmarkSend64Rate(b *testing.B) { benchSends(b, "soft-loop") }

func BenchmarkTCPSend64Rate(b *testing.B) { benchSends(b, "soft-tcp") }

func benchSends(b *testing.B, path string) {
	const size, depth = 64, 16
	x, y := connect(b, path)
	into := rdma.Recv{Into: y.mem.Slice(size, size)}
	post := func() {
		if err := y.conn.PostRecv(into); err != nil {
			b.Fatal(err)
		}
	}
	for range 2 * depth {
		post()
	}
	from := rdma.Send{From: x.mem.Slice(0, size)}
	sent, received := x.conn.SendCompletions(), y.conn.RecvCompletions()
	c := make([]rdma.Completion, depth)
	b.ReportAllocs()
	for left := b.N; left > 0; {
		n := min(depth, left)
		for range n {
			if err := x.conn.PostSend(from); err != nil {
				b.Fatal(err)
			}
		}
		for acked, got := 0, 0; acked < n || got < n; {
			acked += sent.Poll(c)
			k := received.Poll(c)
			for i := range c[:k] {
				if c[i].Status != rdma.StatusOK {
					b.Fatal(c[i].Err())
				}
				post()
			}
			got += k
		}
		left -= n
	}
}
