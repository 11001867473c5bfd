package event_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma/event"
)

// bed is where a sleeper of a test sleeps.
type bed chan struct{}

func newBed() bed { return make(bed, 1) }

func (b bed) kick() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// sleep waits once.
func (b bed) sleep(s *event.Sleeper[int], d *event.Dispatcher[int], want int) (first, more int, err error) {
	more, asleep, err := s.Begin(d, &first, want, true)
	for asleep {
		<-b
		more, asleep, err = s.Again(&first, false)
	}
	return first, more, err
}

func TestSleeperGetsEachEventOnce(t *testing.T) {
	d := event.New[int](event.Config{Depth: 8})
	defer d.Close()
	b := newBed()
	s := event.NewSleeper[int](b.kick)
	const n = 10000
	var producer sync.WaitGroup
	producer.Go(func() {
		for i := 0; i < n; {
			if d.Post(i) == nil {
				i++
			}
		}
	})
	for i := range n {
		if first, _, err := b.sleep(s, d, 1); err != nil || first != i {
			t.Fatalf("event %d, %v; want %d", first, err, i)
		}
	}
	producer.Wait()
}

func TestSleeperCountsToItsThreshold(t *testing.T) {
	d := event.New[int](event.Config{Depth: 8})
	defer d.Close()
	b := newBed()
	s := event.NewSleeper[int](b.kick)
	var first int
	if _, asleep, err := s.Begin(d, &first, 3, true); !asleep || err != nil {
		t.Fatal(asleep, err)
	}
	for i := range 2 {
		d.Post(i)
		if len(b) != 0 {
			t.Fatal("kicked below the threshold")
		}
	}
	if more, asleep, err := s.Again(&first, true); asleep || !errors.Is(err, event.ErrTimeout) || more != 2 {
		t.Fatal(more, asleep, err)
	}
	if _, asleep, err := s.Begin(d, &first, 3, true); !asleep || err != nil {
		t.Fatal(asleep, err)
	}
	d.Post(2)
	<-b
	if more, asleep, err := s.Again(&first, false); asleep || err != nil || first != 0 || more != 2 {
		t.Fatal(first, more, asleep, err)
	}
}

func TestSleeperIsTheOneWaiter(t *testing.T) {
	d := event.New[int](event.Config{Depth: 8})
	b := newBed()
	s, other := event.NewSleeper[int](b.kick), event.NewSleeper[int](func() {})
	var first int
	if _, asleep, err := s.Begin(d, &first, 1, false); asleep || !errors.Is(err, event.ErrTimeout) {
		t.Fatal("without block:", asleep, err)
	}
	if _, asleep, err := s.Begin(d, &first, 9, true); asleep || !errors.Is(err, event.ErrInvalid) {
		t.Fatal("a threshold beyond the depth:", asleep, err)
	}
	if _, asleep, _ := s.Begin(d, &first, 1, true); !asleep {
		t.Fatal("not asleep")
	}
	if _, asleep, err := other.Begin(d, &first, 1, true); asleep || !errors.Is(err, event.ErrState) {
		t.Fatal("a second waiter:", asleep, err)
	}
	if _, err := d.Dequeue(); !errors.Is(err, event.ErrState) {
		t.Fatal("a poll beside a waiter:", err)
	}
	d.Close()
	<-b
	if _, asleep, err := s.Again(&first, false); asleep || !errors.Is(err, event.ErrClosed) {
		t.Fatal("after Close:", asleep, err)
	}
}

func TestSleeperAllocatesNothing(t *testing.T) {
	d := event.New[int](event.Config{Depth: 8})
	defer d.Close()
	b := newBed()
	s := event.NewSleeper[int](b.kick)
	var first int
	if n := testing.AllocsPerRun(100, func() {
		s.Begin(d, &first, 1, true)
		d.Post(1)
		<-b
		s.Again(&first, false)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
