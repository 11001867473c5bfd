package event_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/event"
)

func TestEventsComeOutInOrder(t *testing.T) {
	d := event.New[int](event.Config{Depth: 100})
	next, want := 0, 0
	for round := range 200 { // the ring grows, wraps, runs empty
		var evs []int
		for range min(round%37, d.Cap()-d.Len()) {
			evs = append(evs, next)
			next++
		}
		if round%3 == 0 {
			event.ProviderOf(d).PutAll(evs, false)
		} else {
			post(t, d, evs...)
		}
		dst := make([]int, round%41)
		for _, ev := range dst[:d.Poll(dst)] {
			if ev != want {
				t.Fatalf("got %d, want %d", ev, want)
			}
			want++
		}
	}
	for {
		ev, err := d.Dequeue()
		if err != nil {
			wantErr(t, err, event.ErrQueueEmpty)
			break
		}
		if ev != want {
			t.Fatalf("got %d, want %d", ev, want)
		}
		want++
	}
	if want != next || next == 0 {
		t.Fatalf("posted %d, got %d", next, want)
	}
}

func TestPostFailsWhenFullAndReportsNothing(t *testing.T) {
	d := event.New[int](event.Config{Name: "small", Depth: 2, Overflow: func(err error) { t.Error("reported:", err) }})
	post(t, d, 1, 2)
	err := d.Post(3)
	wantErr(t, err, event.ErrQueueFull)
	if got := err.Error(); !strings.HasPrefix(got, "post to small: ") {
		t.Errorf("the error does not say where: %q", got)
	}
	if d.Stats().Lost != 0 {
		t.Error("a refused post counts as lost")
	}
	wantPoll(t, d, 1, 2)
	post(t, d, 4)
	wantPoll(t, d, 4)
}

func TestPutAllQueuesWhatFitsAndReportsTheRest(t *testing.T) {
	reports := 0
	d := event.New[int](event.Config{Depth: 3, Overflow: func(error) { reports++ }})
	if n := event.ProviderOf(d).PutAll([]int{1, 2, 3, 4, 5}, false); n != 3 || reports != 1 || d.Stats().Lost != 2 {
		t.Fatalf("queued %d, %d reports, %d lost", n, reports, d.Stats().Lost)
	}
	wantPoll(t, d, 1, 2, 3)
	if n := event.ProviderOf(d).PutAll(nil, false); n != 0 || reports != 1 {
		t.Fatalf("queued %d of nothing, %d reports", n, reports)
	}
}

func TestOverflowIsReportedOnceUntilThereIsRoom(t *testing.T) {
	var reports []error
	d := event.New[int](event.Config{Name: "recvs", Depth: 1, Overflow: func(err error) { reports = append(reports, err) }})
	ev := 1
	if !event.ProviderOf(d).Put(&ev, false) {
		t.Fatal("no room for the first")
	}
	for range 3 {
		if event.ProviderOf(d).Put(&ev, false) {
			t.Fatal("room for two")
		}
	}
	if len(reports) != 1 || d.Stats().Lost != 3 {
		t.Fatalf("%d reports, %d lost; want 1, 3", len(reports), d.Stats().Lost)
	}
	wantErr(t, reports[0], event.ErrOverflow)
	wantPoll(t, d, 1)
	event.ProviderOf(d).Put(&ev, false)
	event.ProviderOf(d).Put(&ev, false)
	if len(reports) != 2 || d.Stats().Lost != 4 {
		t.Fatalf("%d reports, %d lost; want 2, 4", len(reports), d.Stats().Lost)
	}
}

// The callback must be able to use the dispatcher, and others.
func TestOverflowIsReportedWithoutALock(t *testing.T) {
	var d *event.Dispatcher[int]
	d = event.New[int](event.Config{Depth: 1, Overflow: func(error) {
		if d.Len() != 1 {
			t.Error("Len is wrong")
		}
		d.Resize(2)
	}})
	ev := 1
	event.ProviderOf(d).Put(&ev, false)
	event.ProviderOf(d).Put(&ev, false)
	if !event.ProviderOf(d).Put(&ev, false) {
		t.Error("the callback's Resize had no effect")
	}
}

func TestPutCopiesTheEvent(t *testing.T) {
	d := event.New[int](event.Config{})
	ev := 1
	event.ProviderOf(d).Put(&ev, false)
	ev = 2
	wantPoll(t, d, 1)
}

// Whatever takes events is refused while somebody waits, and events still come.
func TestOthersAreRefusedWhileSomebodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{})
		c := waitFor(d, background, 2)
		post(t, d, 1)
		_, _, err := d.Wait(background, 1)
		wantErr(t, err, event.ErrState)
		_, _, err = d.WaitTimeout(0, 1)
		wantErr(t, err, event.ErrState)
		_, err = d.Dequeue()
		wantErr(t, err, event.ErrState)
		wantErr(t, d.Err(), event.ErrState)
		if n := d.Poll(make([]int, 1)); n != 0 {
			t.Fatal("a poll took an event from the waiter")
		}
		_, err = d.WaitBatch(background, make([]int, 1))
		wantErr(t, err, event.ErrState)
		for evs, err := range d.Drain(background, make([]int, 1)) {
			if len(evs) > 0 {
				t.Fatal("Drain took an event from the waiter")
			}
			wantErr(t, err, event.ErrState)
		}
		if _, ok := <-d.C(); ok {
			t.Fatal("C took an event from the waiter")
		}
		if _, ok := <-d.Batches(event.BatchConfig{Size: 0}); ok {
			t.Fatal("Batches took an event from the waiter")
		}
		wantErr(t, d.Resize(10), event.ErrState)
		if s := d.State(); s&event.Waiting == 0 {
			t.Errorf("state %v", s)
		}
		still(t, c)
		post(t, d, 2)
		if r := over(t, c); r != (result{1, 1, nil}) {
			t.Fatalf("got %+v", r)
		}
		wantPoll(t, d, 2)
		if s := d.State(); s&event.Waiting != 0 {
			t.Errorf("state %v", s)
		}
	})
}
