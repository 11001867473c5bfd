package rdma_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
)

// BenchmarkFlight is a message of 64 bytes and its answer on each path, both sides polled, with recorders and without,
// in turns. It reports the ratio of the times.
func BenchmarkFlight(b *testing.B) {
	for _, name := range []string{"soft-loop", "soft-shm", "soft-tcp"} {
		b.Run(name, func(b *testing.B) {
			if name == "soft-shm" && runtime.GOOS != "linux" {
				b.Skip("shared memory is for Linux")
			}
			pair := func(flight string) (turn func()) {
				b.Setenv("GODAPL_FLIGHT", flight)
				x, y := connect(b, name)
				return pingPong(b, x, y, 64)
			}
			on, off := pair("1"), pair("")
			const turns = 2000
			var with, without time.Duration
			rounds := 0
			for b.Loop() {
				with += timed(turns, on)
				without += timed(turns, off)
				rounds += turns
			}
			b.ReportMetric(float64(with.Nanoseconds())/float64(rounds), "ns/on")
			b.ReportMetric(float64(without.Nanoseconds())/float64(rounds), "ns/off")
			b.ReportMetric(float64(with)/float64(without), "on/off")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// timed is how long n calls of f take.
func timed(n int, f func()) time.Duration {
	began := time.Now()
	for range n {
		f()
	}
	return time.Since(began)
}

// pingPong returns a function that sends a message each way, and polls for both.
func pingPong(b *testing.B, x, y *side, size int) func() {
	receive := func(s *side) {
		if err := s.conn.PostRecv(rdma.Recv{Into: s.mem.Slice(size, size)}); err != nil { // must takes a third of the time
			b.Fatal(err)
		}
	}
	c := make([]rdma.Completion, 4)
	way := func(from, to *side) {
		if err := from.conn.PostSend(rdma.Send{From: from.mem.Slice(0, size), Flags: rdma.NoCompletion}); err != nil {
			b.Fatal(err)
		}
		for d := to.conn.RecvCompletions(); d.Poll(c) == 0; {
		}
		if c[0].Status != rdma.StatusOK {
			b.Fatal(c[0].Err())
		}
		receive(to)
	}
	for range 4 {
		receive(x)
		receive(y)
	}
	return func() { way(x, y); way(y, x) }
}
