package event_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/event"
)

// TestWaitCountsManyThatSourcesHold: more than go to the queue at once, and more than
// the queue has room for.
func TestWaitCountsManyThatSourcesHold(t *testing.T) {
	for _, depth := range []int{256, 4, 1} {
		d := event.New[int](event.Config{Depth: depth, Overflow: func(err error) { t.Error(err) }})
		s := attach(t, d)
		for i := range 100 {
			s.add(false, i)
		}
		for i := range 100 {
			first, have, err := d.WaitTimeout(0, 1)
			if all := depth > 100; first != i || err != nil || have > depth || have != 99-i && all {
				t.Fatalf("depth %d, event %d: %d, %d more, %v", depth, i, first, have, err)
			}
		}
		if _, _, err := d.WaitTimeout(0, 1); !errors.Is(err, event.ErrTimeout) {
			t.Fatal(err)
		}
	}
}

// askingSource is a source that polls its own dispatcher while it is drained, as the
// put function of a sink may.
type askingSource struct {
	d    *event.Dispatcher[int]
	left []int
	got  []int
	errs []error
}

func (s *askingSource) Drain(dst []int) (int, bool) {
	n := copy(dst, s.left)
	s.left = s.left[n:]
	if n > 0 {
		var one [1]int
		if s.d.Poll(one[:]) == 1 {
			s.got = append(s.got, one[0])
		}
		_, err := s.d.Dequeue()
		s.errs = append(s.errs, err)
	}
	return n, true
}

func (s *askingSource) Arm() error { return nil }

func TestPollDuringADrainTakesWhatIsQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{})
		s := &askingSource{d: d, left: []int{2, 3}}
		if err := event.ProviderOf(d).Attach(s); err != nil {
			t.Fatal(err)
		}
		post(t, d, 1)
		dst := make([]int, 4)
		if !event.ProviderOf(d).Pump() { // a drain on the way of the ring
			t.Fatal("Pump found somebody at the source")
		}
		if !slices.Equal(s.got, []int{1}) || !errors.Is(s.errs[0], event.ErrQueueEmpty) {
			t.Fatalf("the polls of the source gave %v and %v", s.got, s.errs)
		}
		if n := d.Poll(dst); n != 2 || dst[0] != 2 || dst[1] != 3 {
			t.Fatalf("%d events, %v", n, dst)
		}
		s.left = []int{4} // a drain straight into the caller's memory
		if n := d.Poll(dst); n != 1 || dst[0] != 4 || len(s.errs) != 2 {
			t.Fatalf("%d events, %v, polls of the source %v", n, dst, s.errs)
		}
		s.left = []int{5, 6} // and the event that Dequeue takes
		if ev, err := d.Dequeue(); ev != 5 || err != nil || len(s.errs) != 3 {
			t.Fatal(ev, err, s.errs)
		}
		wantPoll(t, d, 6)
	})
}

// A poll beside a drain that finds nothing must not strand the dispatcher: whatever the
// drain leaves in the queue, its set tells of it.
func TestPollBesideADrainLeavesTheSetTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{})
		set := event.NewSet()
		defer set.Close()
		s := &heldSource{inside: make(chan struct{}), goOn: make(chan struct{})}
		if err := event.ProviderOf(d).Attach(s); err != nil {
			t.Fatal(err)
		}
		if err := set.Add(d); err != nil {
			t.Fatal(err)
		}
		s.hold = true
		go event.ProviderOf(d).Pump()
		<-s.inside
		var dst [4]int
		if n := d.Poll(dst[:]); n != 0 {
			t.Fatalf("%d events while the source is drained", n)
		}
		close(s.goOn)
		if m, err := set.Wait(background); err != nil || m != event.Member(d) {
			t.Fatal(m, err)
		}
		synctest.Wait()
		wantPoll(t, d, 7)
	})
}

// heldSource has one quiet event, in a drain that lasts.
type heldSource struct {
	hold         bool
	inside, goOn chan struct{}
}

func (s *heldSource) Drain(dst []int) (int, bool) {
	if !s.hold {
		return 0, false
	}
	s.hold = false
	s.inside <- struct{}{}
	<-s.goOn
	dst[0] = 7
	return 1, false
}

func (s *heldSource) Arm() error { return nil }
