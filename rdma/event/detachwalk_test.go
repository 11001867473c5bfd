package event_test

import (
	"slices"
	"testing"

	"github.com/godapl/godapl/internal/wait/interleave"
	"github.com/godapl/godapl/rdma/event"
)

// pollAll polls until there is nothing.
func pollAll(d *event.Dispatcher[int]) (got []int) {
	buf := make([]int, 8)
	for n := d.Poll(buf); n > 0; n = d.Poll(buf) {
		got = append(got, buf[:n]...)
	}
	return got
}

// TestWalkPutsBesideDetach: events that follow the sources keep their order while the last source goes.
func TestWalkPutsBesideDetach(t *testing.T) {
	walk(t, 5, func(r *interleave.Run) {
		d := event.New[int](event.Config{})
		dev := newDevice(r, d)
		p := event.ProviderOf(d)
		var got []int
		r.Go("detach", func() { p.Detach(dev) })
		r.Go("producer", func() {
			for _, ev := range []int{1, 2} {
				p.PutAfterSources(&ev, false)
				r.Step("put")
			}
		})
		r.Check(func() error {
			got = pollAll(d)
			return wanted(&got, true, 1, 2)()
		})
	})
}

// TestWalkAPutBesideTheLastDetach: the queue is full, so an event waits for the sources to be empty. What joins it while
// the last source goes is delivered, too.
func TestWalkAPutBesideTheLastDetach(t *testing.T) {
	walk(t, 10, func(r *interleave.Run) {
		d := event.New[int](event.Config{Depth: 2})
		dev := newDevice(r, d)
		dev.evs = []int{1, 2, 3}
		p := event.ProviderOf(d)
		after, want := 4, []int{1, 2, 3, 4}
		p.PutAfterSources(&after, false)
		var got []int
		r.Go("detach", func() { p.Detach(dev) })
		r.Go("consumer", func() {
			r.Step("poll")
			got = pollAll(d)
		})
		r.Go("producer", func() {
			r.Step("post")
			if d.Post(5) == nil {
				want = append(want, 5)
			}
		})
		r.Check(func() error {
			got = append(got, pollAll(d)...)
			return wanted(&got, true, slices.Clone(want)...)()
		})
	})
}
