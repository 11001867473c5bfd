package event_test

import (
	"testing"
	"time"

	"github.com/godapl/godapl/rdma/event"
)

// TestEachLookEndsTheBacklog of several events that were taken together: what the source keeps back is sent then, or
// the program would wait for the answers to requests that nobody has sent.
func TestEachLookEndsTheBacklog(t *testing.T) {
	for name, look := range map[string]func(d *event.Dispatcher[int]){
		"Poll":        func(d *event.Dispatcher[int]) { d.Poll(make([]int, 1)) },
		"Dequeue":     func(d *event.Dispatcher[int]) { d.Dequeue() },
		"DequeueFunc": func(d *event.Dispatcher[int]) { event.ProviderOf(d).DequeueFunc(func(*int) {}) },
		"WaitTimeout": func(d *event.Dispatcher[int]) { d.WaitTimeout(time.Nanosecond, 1) },
		"Sleeper": func(d *event.Dispatcher[int]) {
			var first int
			s := event.NewSleeper[int](func() {})
			if _, asleep, _ := s.Begin(d, &first, 1, true); asleep {
				s.Again(&first, true)
			}
		},
	} {
		d := event.New[int](event.Config{})
		k, p := attachKeeper(t, d)
		k.add(false, 1, 2)
		d.Poll(make([]int, 2))
		if !p.Backlog(true) {
			t.Errorf("%s: two events are no backlog", name)
		}
		look(d)
		if p.Backlog(true) {
			t.Errorf("%s: the program has looked again, and has a backlog", name)
		}
		d.Close()
	}
}
