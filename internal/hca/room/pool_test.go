package room_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca/room"
)

// feeder is a send queue: it counts as the package comment says that one has to.
type feeder struct {
	share *room.Share
	own   int64
	n     atomic.Int64 // under way, or complete and not taken
}

func newFeeder(p *room.Pool, depth int) *feeder {
	f := &feeder{own: int64(depth)}
	f.share = p.Join(depth, f.used)
	return f
}

func (f *feeder) used() int { return int(f.n.Load()) }

// post counts one request, if there is room.
func (f *feeder) post() bool {
	for {
		n := f.n.Load()
		if n < f.own {
			if f.n.CompareAndSwap(n, n+1) {
				return true
			}
			continue
		}
		limit := f.share.Limit()
		if n >= int64(limit) {
			if !f.share.Borrow(limit) {
				return false
			}
			continue
		}
		if !f.n.CompareAndSwap(n, n+1) {
			continue
		}
		if now := f.share.Limit(); now < limit && f.used() > now {
			f.n.Add(-1)
			continue
		}
		return true
	}
}

func (f *feeder) fill() (n int) {
	for f.post() {
		n++
	}
	return n
}

func TestWhatIsSpareGoesToWhoNeedsIt(t *testing.T) {
	p := room.NewPool(100)
	p.Promise(20)
	p.Share("shared", func() int { return 10 })
	p.Share("shared", func() int { return 10 })
	x, y := newFeeder(p, 10), newFeeder(p, 10)
	want := func(what string, have, want int) {
		t.Helper()
		if have != want {
			t.Errorf("%s: %d, want %d", what, have, want)
		}
	}
	want("the first takes all that is spare", x.fill(), 60)
	want("the second has its own", y.fill(), 10)
	x.n.Add(-30)
	want("what the first does not need", y.fill(), 30)
	want("and nothing more", x.fill(), 0)
	x.n.Store(0)
	x.share.Leave()
	want("one that has left", y.fill(), 30)
	y.n.Add(-50)
	p.Withdraw(20, func() int { return 7 })
	want("completions of one that has left", y.fill(), 50+20-7)
	untaken := 4
	left := func() int { return untaken }
	p.Unshare("shared", left)
	want("one of two users has left", y.fill(), 0)
	p.Unshare("shared", left)
	want("both users have left", y.fill(), 10-4)
	untaken = 0
	want("their completions are taken", y.fill(), 4)
	p.Resize(105)
	want("a larger queue", y.fill(), 5)
	p.Resize(10)
	want("a smaller queue", y.fill(), 0)
}

// TestASmallerPoolIsNotOverdrawn: a queue that has borrowed does not keep the room of the former size.
func TestASmallerPoolIsNotOverdrawn(t *testing.T) {
	const depth, small, large = 4, 10, 100
	p := room.NewPool(large)
	f := newFeeder(p, depth)
	if n := f.fill(); n != large {
		t.Fatalf("%d of %d", n, large)
	}
	if p.Resize(small) {
		t.Fatal("a size that the entries exceed")
	}
	f.n.Add(small - large)
	if !p.Resize(small) {
		t.Fatal("the entries fit")
	}
	f.n.Add(-small)
	if n := f.fill(); n != small {
		t.Fatalf("%d entries in a queue for %d", n, small)
	}
}

// TestPoolIsNeverOverdrawn has several queues post and complete at the same time.
func TestPoolIsNeverOverdrawn(t *testing.T) {
	const feeders, depth, spare = 4, 8, 20
	p := room.NewPool(feeders*depth + spare)
	var all []*feeder
	var held atomic.Int64 // counted behind a post and before a completion: too low, never too high
	for range feeders {
		all = append(all, newFeeder(p, depth))
	}
	var wg sync.WaitGroup
	for _, f := range all {
		var mine atomic.Int64
		for range 2 {
			wg.Go(func() {
				for range 20_000 {
					if f.post() {
						mine.Add(1)
						if n := held.Add(1); n > feeders*depth+spare {
							t.Errorf("%d entries in a queue for %d", n, feeders*depth+spare)
							return
						}
						continue
					}
					for n := mine.Swap(0); n > 0; n-- { // all are taken
						held.Add(-1)
						f.n.Add(-1)
					}
					runtime.Gosched()
				}
			})
		}
	}
	wg.Wait()
}
