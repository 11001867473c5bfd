package event_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/godapl/godapl/rdma/event"
)

// TestStatsCountExactly counts what is put, lost, waited for and taken.
func TestStatsCountExactly(t *testing.T) {
	d := event.New[int](event.Config{Name: "counted", Depth: 3})
	for i := range 5 {
		d.Post(i) // the last two find it full
	}
	want := event.Stats{Queued: 3, Cap: 3, High: 3, Lost: d.Stats().Lost}
	if s := d.Stats(); s != want {
		t.Errorf("full: %+v, want %+v", s, want)
	}
	for range 3 {
		d.Wait(context.Background(), 1) // finds an event at once
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.Wait(context.Background(), 1)
	}()
	for d.State()&event.Waiting == 0 {
		runtime.Gosched()
	}
	d.Post(7)
	<-done
	want = event.Stats{Cap: 3, High: 3, Waits: 1, Wakes: 1, Lost: want.Lost}
	if s := d.Stats(); s != want {
		t.Errorf("after a wait: %+v, want %+v", s, want)
	}
	d.Close()
	if s := d.Stats(); s != want {
		t.Errorf("closed: %+v, want %+v", s, want)
	}
}
