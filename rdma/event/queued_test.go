package event_test

import (
	"slices"
	"testing"

	"github.com/godapl/godapl/rdma/event"
)

// TestQueuedTakesNothing: it shows what polls will give, from the queue but not from the sources.
func TestQueuedTakesNothing(t *testing.T) {
	d := event.New[int](event.Config{Depth: 32})
	p := event.ProviderOf(d)
	s := attach(t, d)
	for i := range 20 { // the oldest event is not the first of the ring, and the ring grows
		post(t, d, i)
		if i < 10 {
			wantPoll(t, d, i)
		}
	}
	s.add(false, 20)
	want := []int{10, 11, 12, 13, 14, 15, 16, 17, 18, 19}
	if q := p.Queued(); !slices.Equal(q, want) {
		t.Fatalf("queued are %v", q)
	}
	last := 21
	p.PutAfterSources(&last, false) // takes what the source holds
	want = append(want, 20, 21)
	if q := p.Queued(); !slices.Equal(q, want) {
		t.Fatalf("queued are %v", q)
	}
	wantPoll(t, d, want...)
	if q := p.Queued(); len(q) != 0 {
		t.Fatalf("queued are %v", q)
	}
}
