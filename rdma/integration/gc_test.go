package integration_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

const (
	pauseLimit  = 5 * time.Millisecond
	pauseRounds = 6  // at most
	collections = 10 // per round
	copySize    = 256 << 20
)

// TestCollectorIsNotHeldUp lets every core copy 256 MiB at a time, which takes
// several times 5 ms, and forces collections meanwhile. The collector must be
// able to stop the world within 5 ms.
//
// The result depends on time, since the promise is a time. On a busy machine the system
// can take the processor from a thread for longer than 5 ms. So the two longest of some
// twenty pauses of each round do not count, and one good round is enough. If goroutines
// that only count are stopped as late, the limit is their time. Copies that cannot be
// stopped would make most pauses of every round too long.
func TestCollectorIsNotHeldUp(t *testing.T) {
	for _, name := range []string{"soft-loop", "soft-tcp"} {
		t.Run(name, func(t *testing.T) {
			best, noise := pauses{total: time.Hour}, pauses{}
			limit := pauseLimit
			for round := 1; round <= pauseRounds && best.total >= limit; round++ {
				p := whileCopying(t, name)
				if p.total < best.total {
					best = p
				}
				t.Logf("round %d: %v", round, p)
				if p.total >= limit {
					noise = whileCounting()
					limit = max(limit, 3*noise.total)
					t.Logf("round %d, without copies: %v", round, noise)
				}
			}
			if best.total >= limit {
				t.Errorf("%d goroutines copying %d MiB each: in the best of %d rounds the world was stopped for %v, want less than %v",
					runtime.GOMAXPROCS(0), copySize>>20, pauseRounds, best.total, limit)
			}
		})
	}
}

// pauses are what one round saw: the third longest pauses, from the request to
// stop until the world goes on, and from the request until it stands still; and
// the longest one.
type pauses struct{ total, stopping, longest time.Duration }

func (p pauses) String() string {
	return fmt.Sprintf("third longest stop %v, of it stopping %v; longest %v", p.total, p.stopping, p.longest)
}

// collect forces collections and looks at the pauses that they made.
func collect() pauses {
	samples := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}, {Name: "/sched/pauses/stopping/gc:seconds"}}
	read := func() (counts [2][]uint64) {
		metrics.Read(samples)
		for i := range samples {
			counts[i] = slices.Clone(samples[i].Value.Float64Histogram().Counts)
		}
		return counts
	}
	before := read()
	for range collections {
		runtime.GC()
	}
	after := read()
	var p pauses
	for i := range samples {
		for j := range after[i] {
			after[i][j] -= before[i][j]
		}
	}
	buckets := samples[0].Value.Float64Histogram().Buckets
	p.longest = nthLongest(after[0], buckets, 1)
	p.total = nthLongest(after[0], buckets, 3)
	p.stopping = nthLongest(after[1], samples[1].Value.Float64Histogram().Buckets, 3)
	return p
}

// nthLongest is the upper bound of the bucket that has the n-th longest pause.
func nthLongest(counts []uint64, buckets []float64, n uint64) time.Duration {
	for i := len(counts) - 1; i >= 0; i-- {
		if counts[i] >= n {
			seconds := buckets[i+1]
			if math.IsInf(seconds, 1) {
				seconds = buckets[i]
			}
			return time.Duration(seconds * float64(time.Second))
		}
		n -= counts[i]
	}
	return 0
}

// whileCopying collects while every core writes large pieces of memory.
func whileCopying(t *testing.T, name string) pauses {
	t.Helper()
	x, y := newSide(t, open(t, name), copySize), newSide(t, open(t, name), copySize)
	defer x.adapter.Close()
	defer y.adapter.Close()
	for b := x.mem.Bytes(); len(b) > 0; b = b[mem.PageSize():] {
		b[0] = 1 // pages of its own, instead of the one page of zeros
	}
	var copied atomic.Int64
	ctx, stop := context.WithCancel(context.Background())
	var copying sync.WaitGroup
	defer copying.Wait()
	defer stop()
	for range runtime.GOMAXPROCS(0) {
		join(t, x, y, rdma.EndpointConfig{}, rdma.EndpointConfig{})
		conn := x.conn
		copying.Go(func() {
			for ctx.Err() == nil {
				n, err := conn.Write(ctx, x.mem.All(), y.mem.Remote())
				if err != nil && ctx.Err() == nil {
					t.Error(err)
					return
				}
				copied.Add(int64(n))
			}
		})
	}
	eventually(t, "copies are under way", func() bool { return copied.Load() > 0 })
	before := copied.Load()
	p := collect()
	eventually(t, "copies go on", func() bool { return copied.Load() > before })
	return p
}

// whileCounting collects while every core runs a loop that can be stopped anywhere.
func whileCounting() pauses {
	var counting sync.WaitGroup
	var stop atomic.Bool
	for range runtime.GOMAXPROCS(0) {
		counting.Go(func() {
			for !stop.Load() {
			}
		})
	}
	defer counting.Wait()
	defer stop.Store(true)
	return collect()
}
