package mailbox_test

import (
	"runtime"
	"testing"

	"github.com/godapl/godapl/internal/race"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// TestNothingIsAllocated: sending, receiving, asking and answering plain values.
func TestNothingIsAllocated(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{})
		s := dial(t, a, b, dialConfig{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			for m := range b.C() {
				if m.Asked() {
					_ = m.Reply(receipt{ID: m.Value.ID})
				}
			}
		}()
		turn := func() {
			must(t, s.Send(t.Context(), order{}))
			_, err := s.Ask(t.Context(), order{})
			must(t, err)
			var asks [8]mailbox.Pending[order, receipt]
			for i := range asks {
				asks[i], err = s.Go(t.Context(), order{})
				must(t, err)
			}
			for _, p := range asks {
				_, err := p.Wait(t.Context())
				must(t, err)
			}
		}
		for range 200 {
			turn()
		}
		const turns = 2000
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range turns {
			turn()
		}
		runtime.ReadMemStats(&after)
		// The runtime allocates now and then for itself.
		if n := after.Mallocs - before.Mallocs; n > turns/20 {
			t.Errorf("%d allocations in %d turns", n, turns)
		}
		must(t, b.Close())
		<-done
	})
}

// TestIdleSendersAreCheap: a sender that sends nothing has no goroutine, on either side, and what
// it takes of the heap is bounded. Both sides are in this process.
func TestIdleSendersAreCheap(t *testing.T) {
	const senders, limit = 200, 128 << 10
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{})
		dial(t, a, b, dialConfig{})
		var before, after runtime.MemStats
		goroutines := runtime.NumGoroutine()
		settle(&before)
		for range senders {
			dial(t, a, b, dialConfig{})
		}
		settle(&after)
		each := (int64(after.HeapAlloc+after.StackInuse) - int64(before.HeapAlloc+before.StackInuse)) / senders
		more := runtime.NumGoroutine() - goroutines
		t.Logf("%d bytes of heap and stacks for both sides, %d goroutines more for %d senders", each, more, senders)
		// The race detector changes the use of memory.
		if each > limit && !race.Enabled || more > senders/2 {
			t.Errorf("%d bytes, %d goroutines", each, more)
		}
	})
}

// settle reads the counters without the content of pools, which two collections empty.
func settle(to *runtime.MemStats) {
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(to)
}
