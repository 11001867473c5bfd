package event_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma/event"
)

func TestWaitTimeoutInto(t *testing.T) {
	d := event.New[int](event.Config{})
	defer d.Close()
	got := 7
	if more, err := event.ProviderOf(d).WaitTimeoutInto(&got, time.Millisecond, 1); !errors.Is(err, event.ErrTimeout) || more != 0 {
		t.Fatal(more, err)
	}
	post(t, d, 1)
	post(t, d, 2)
	if more, err := event.ProviderOf(d).WaitTimeoutInto(&got, 0, 2); err != nil || more != 1 || got != 1 {
		t.Fatal(got, more, err)
	}
}

// TestNoBurst: without a burst a quiet event that comes while somebody waits is left
// alone; the source counts how often it was looked at.
func TestNoBurst(t *testing.T) {
	looks := func(burst int) (drains int) {
		synctest.Test(t, func(t *testing.T) {
			d := event.New[int](event.Config{})
			defer d.Close()
			s := attach(t, d)
			event.ProviderOf(d).SetBurst(burst)
			var got int
			if _, err := event.ProviderOf(d).WaitTimeoutInto(&got, time.Second, 1); !errors.Is(err, event.ErrTimeout) {
				t.Fatal(err)
			}
			drains = s.drains
		})
		return drains
	}
	if with, without := looks(32), looks(-1); with < 32 || without > 8 {
		t.Fatalf("%d looks with a burst of 32, %d without one", with, without)
	}
}

// TestDequeueFuncShowsTheEventInPlace takes events by both ways, from a source and from
// the queue, and tells when there is none, when somebody waits and when it is over.
func TestDequeueFuncShowsTheEventInPlace(t *testing.T) {
	d := event.New[int](event.Config{})
	var got []int
	use := func(ev *int) { got = append(got, *ev) }
	post(t, d, 1)
	for _, want := range []error{nil, event.ErrQueueEmpty} {
		if err := event.ProviderOf(d).DequeueFunc(use); !errors.Is(err, want) {
			t.Fatalf("%v, want %v", err, want)
		}
	}
	s := attach(t, d)
	post(t, d, 2)
	s.add(false, 3, 4, 5)
	for range 3 {
		if err := event.ProviderOf(d).DequeueFunc(use); err != nil {
			t.Fatal(err)
		}
	}
	var ev int
	if err := event.ProviderOf(d).DequeueInto(&ev); ev != 5 || err != nil {
		t.Fatal(ev, err)
	}
	wantErr(t, event.ProviderOf(d).DequeueInto(&ev), event.ErrQueueEmpty)
	wantErr(t, event.ProviderOf(d).DequeueFunc(use), event.ErrQueueEmpty)
	if !slices.Equal(got, []int{1, 2, 3, 4}) || ev != 5 {
		t.Fatal(got, ev)
	}
	set := event.NewSet()
	defer set.Close()
	if err := set.Add(d); err != nil {
		t.Fatal(err)
	}
	s.add(false, 6, 7)
	for range 2 {
		if m, err := set.Wait(background); m != d || err != nil {
			t.Fatal(m, err)
		}
		if err := event.ProviderOf(d).DequeueFunc(use); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got, []int{1, 2, 3, 4, 6, 7}) {
		t.Fatal(got)
	}
	d.Close()
	wantErr(t, event.ProviderOf(d).DequeueFunc(use), event.ErrClosed)
	wantErr(t, event.ProviderOf(d).DequeueInto(&ev), event.ErrClosed)
}
