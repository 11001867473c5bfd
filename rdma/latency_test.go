package rdma_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// onEveryTimer is onEveryPath, and shared memory, with adapters that measure latency.
func onEveryTimer(t *testing.T, f func(t *testing.T, name string)) {
	t.Setenv("GODAPL_LATENCY", "1")
	onEveryPath(t, f)
	if runtime.GOOS == "linux" && soft(paths[0]) {
		t.Run("soft-shm", func(t *testing.T) { f(t, "soft-shm") })
	}
}

// TestLatency: each kind of request is measured, alone, in batches and from several goroutines, and no time is
// longer than the test.
func TestLatency(t *testing.T) {
	onEveryTimer(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		ctx := within(t)
		const n = 20
		var work sync.WaitGroup
		for range 2 {
			work.Go(func() {
				for range n / 2 {
					if _, err := x.conn.Write(ctx, x.mem.Slice(0, 8), y.mem.Slice(0, 8).Remote()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		work.Wait()
		for range n {
			if _, err := x.conn.Read(ctx, x.mem.Slice(8, 64), y.mem.Slice(0, 64).Remote()); err != nil {
				t.Fatal(err)
			}
			must(t, y.conn.PostRecv(rdma.Recv{Into: y.mem.Slice(64, 64)}))
			must(t, x.conn.Send(ctx, x.mem.Slice(0, 8)))
			next(t, y.conn.RecvCompletions())
		}
		batch := x.conn.NewBatch()
		for range n {
			must(t, batch.Write(rdma.Write{From: x.mem.Slice(0, 8), To: y.mem.Slice(0, 8).Remote()}))
		}
		if _, err := batch.Post(); err != nil {
			t.Fatal(err)
		}
		for range n {
			next(t, x.conn.SendCompletions())
		}
		s := x.conn.Stats()
		for op, want := range map[rdma.Op]uint64{rdma.OpWrite: 2 * n, rdma.OpRead: n, rdma.OpSend: n} {
			h := s.Latency[op]
			switch {
			case h == nil || h.Count != want || s.Ops[op].Operations != want:
				t.Errorf("%v: %+v of %d", op, h, want)
			case h.Sum <= 0 || h.Quantile(0.5) > h.Quantile(1):
				t.Errorf("%v: together %v, half below %v, all below %v", op, h.Sum, h.Quantile(0.5), h.Quantile(1))
			}
		}
		if s.Latency[rdma.OpFetchAdd] != nil {
			t.Error("an operation that nobody did has a histogram")
		}
		// The sums are of copies: what they add is not in the parts.
		for range 2 {
			if h := fresh(x.adapter).Latency[rdma.OpWrite]; h == nil || h.Count != 2*n {
				t.Fatalf("the adapter has %+v", h)
			}
		}
		x.conn.Endpoint().Close()
		if h := fresh(x.adapter).Latency[rdma.OpWrite]; h == nil || h.Count != 2*n {
			t.Errorf("after the end the adapter has %+v", h)
		}
	})
}

// TestLatencyOutlivesTheConnection: an endpoint keeps the times of its connections.
func TestLatencyOutlivesTheConnection(t *testing.T) {
	t.Setenv("GODAPL_LATENCY", "1")
	x, y := connect(t, "soft-loop")
	if _, err := x.conn.Write(within(t), x.mem.Slice(0, 8), y.mem.Slice(0, 8).Remote()); err != nil {
		t.Fatal(err)
	}
	e := x.conn.Endpoint()
	e.Abort()
	<-x.conn.Context().Done()
	must(t, e.Reset())
	for range 2 {
		if h := e.Stats().Latency[rdma.OpWrite]; h == nil || h.Count != 1 {
			t.Fatalf("%+v", h)
		}
	}
}

// TestLatencyOff: nothing is measured unless it is asked for.
func TestLatencyOff(t *testing.T) {
	t.Setenv("GODAPL_LATENCY", "")
	x, y := connect(t, "soft-loop")
	if _, err := x.conn.Write(within(t), x.mem.Slice(0, 8), y.mem.Slice(0, 8).Remote()); err != nil {
		t.Fatal(err)
	}
	if s := x.conn.Stats(); len(s.Latency) != 0 {
		t.Errorf("%v", s.Latency)
	}
}

// TestLatencyDoesNotAllocate: a measured post and its completion allocate nothing.
func TestLatencyDoesNotAllocate(t *testing.T) {
	skipWithRaceDetector(t)
	onEveryTimer(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		var done [1]rdma.Completion
		write := func() {
			must(t, x.conn.PostWrite(rdma.Write{From: x.mem.Slice(0, 8), To: y.mem.Slice(0, 8).Remote()}))
			if _, err := x.conn.SendCompletions().WaitBatch(t.Context(), done[:]); err != nil || done[0].Status != rdma.StatusOK {
				t.Fatal(err, done[0].Err())
			}
		}
		write()
		if n := testing.AllocsPerRun(50, write); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// BenchmarkLatency is a write of 8 bytes in the process with and without the measurement.
func BenchmarkLatency(b *testing.B) {
	for _, c := range []struct{ name, value string }{{"off", ""}, {"on", "1"}} {
		b.Run(c.name, func(b *testing.B) {
			b.Setenv("GODAPL_LATENCY", c.value)
			x, y := connect(b, "soft-loop")
			from, to, d := x.mem.Slice(0, 8), y.mem.Slice(0, 8).Remote(), x.conn.SendCompletions()
			var done [1]rdma.Completion
			b.ReportAllocs()
			for b.Loop() {
				if err := x.conn.PostWrite(rdma.Write{From: from, To: to}); err != nil || d.Poll(done[:]) != 1 {
					b.Fatal(err)
				}
			}
		})
	}
}
