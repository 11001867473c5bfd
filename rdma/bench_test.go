package rdma_test

import (
	"fmt"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// BenchmarkWrite8 is a signalled write of 8 bytes in the process: posting,
// execution, completion and polling on one goroutine. At depth 1 each is polled
// before the next is posted.
func BenchmarkWrite8(b *testing.B) {
	for _, depth := range []int{1, 16} {
		b.Run(fmt.Sprintf("depth%d", depth), func(b *testing.B) {
			x, y := connect(b, "soft-loop")
			from, to := x.mem.Slice(0, 8), y.mem.Slice(0, 8).Remote()
			d := x.conn.SendCompletions()
			done := make([]rdma.Completion, depth)
			b.ReportAllocs()
			for left := b.N; left > 0; {
				n := min(depth, left)
				for i := range n {
					if err := x.conn.PostWrite(rdma.Write{From: from, To: to, Cookie: uint64(i)}); err != nil {
						b.Fatal(err)
					}
				}
				for got := 0; got < n; {
					k := d.Poll(done)
					for i := range done[:k] {
						if done[i].Status != rdma.StatusOK {
							b.Fatal(done[i].Err())
						}
					}
					got += k
				}
				left -= n
			}
		})
	}
}

// BenchmarkWrite8Batch posts 16 with one doorbell.
func BenchmarkWrite8Batch(b *testing.B) {
	x, y := connect(b, "soft-loop")
	from, to := x.mem.Slice(0, 8), y.mem.Slice(0, 8).Remote()
	d, batch := x.conn.SendCompletions(), x.conn.NewBatch()
	done := make([]rdma.Completion, 16)
	b.ReportAllocs()
	for left := b.N; left > 0; {
		n := min(len(done), left)
		for i := range n {
			if err := batch.Write(rdma.Write{From: from, To: to, Cookie: uint64(i)}); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := batch.Post(); err != nil {
			b.Fatal(err)
		}
		for got := 0; got < n; got += d.Poll(done) {
		}
		left -= n
	}
}

// BenchmarkWrite1MiB is a write in the process beside the copy that it is.
func BenchmarkWrite1MiB(b *testing.B) {
	const size = 1 << 20
	x, y := connect(b, "soft-loop")
	ours, err := x.zone.Alloc(size, mem.All)
	must(b, err)
	theirs, err := y.zone.Alloc(size, mem.All)
	must(b, err)
	for i := range ours.Bytes() {
		ours.Bytes()[i] = byte(i)
	}
	b.Run("write", func(b *testing.B) {
		from, to, d := ours.All(), theirs.Remote(), x.conn.SendCompletions()
		var done [1]rdma.Completion
		b.SetBytes(size)
		b.ReportAllocs()
		for range b.N {
			if err := x.conn.PostWrite(rdma.Write{From: from, To: to}); err != nil {
				b.Fatal(err)
			}
			for d.Poll(done[:]) == 0 {
			}
			if done[0].Status != rdma.StatusOK {
				b.Fatal(done[0].Err())
			}
		}
	})
	b.Run("copy", func(b *testing.B) {
		b.SetBytes(size)
		for range b.N {
			copy(theirs.Bytes(), ours.Bytes())
		}
	})
}

// BenchmarkConnWrite8 is the waiting call.
func BenchmarkConnWrite8(b *testing.B) {
	x, y := connect(b, "soft-loop")
	ctx := b.Context()
	from, to := x.mem.Slice(0, 8), y.mem.Slice(0, 8).Remote()
	b.ReportAllocs()
	for range b.N {
		if _, err := x.conn.Write(ctx, from, to); err != nil {
			b.Fatal(err)
		}
	}
}
