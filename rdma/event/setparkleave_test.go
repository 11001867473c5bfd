package event_test

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma/event"
)

// departures are the ways in which a member leaves its set.
var departures = map[string]func(s *event.Set, d *event.Dispatcher[int]) error{
	"Remove": func(s *event.Set, d *event.Dispatcher[int]) error { return s.Remove(d) },
	"Close":  func(s *event.Set, _ *event.Dispatcher[int]) error { return s.Close() },
}

// TestOneWhoWaitsForAFormerMember is not forgotten when a waiter of the set that has parked there leaves.
func TestOneWhoWaitsForAFormerMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []string
		a, _ := newBerth(t, "a", &log)
		b := event.New[int](event.Config{})
		defer b.Close()
		s := newSet(t, a, b)
		w := setWait(s)
		if err := s.Remove(a); err != nil {
			t.Fatal(err)
		}
		var direct sync.WaitGroup
		direct.Go(func() { _, _, _ = a.WaitTimeout(time.Hour, 1) })
		synctest.Wait()
		post(t, b, 1)
		synctest.Wait()
		if len(w) != 1 || !slices.Contains(log, "a parted, alone false") {
			t.Errorf("%d have left; said %q", len(w), log)
		}
		direct.Wait()
	})
}

// TestAFormerMemberHearsThatNobodyComesBack: the waiter of the set has said that it would.
func TestAFormerMemberHearsThatNobodyComesBack(t *testing.T) {
	for name, leave := range departures {
		synctest.Test(t, func(t *testing.T) {
			var log []string
			a, _ := newBerth(t, "a", &log)
			s := newSet(t, a)
			_, _ = s.WaitTimeout(time.Second)
			wantSaid(t, &log, "a acquired", "a parted, alone true")
			if err := leave(s, a); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(log, []string{"a elsewhere"}) {
				t.Errorf("%s: said %q", name, log)
			}
		})
	}
}

// TestAMemberThatLeavesWhileTheHostParts hears of it also if it left before the host had parted.
func TestAMemberThatLeavesWhileTheHostParts(t *testing.T) {
	for name, leave := range departures {
		synctest.Test(t, func(t *testing.T) {
			var log []string
			a, x := newBerth(t, "a", &log)
			s := newSet(t, a)
			x.parts = func() { _ = leave(s, a) }
			_, _ = s.WaitTimeout(time.Second)
			want := []string{"a acquired", "a elsewhere", "a parted, alone true", "a elsewhere"}
			if !slices.Equal(log, want) {
				t.Errorf("%s: said %q, want %q", name, log, want)
			}
		})
	}
}

// TestAThreadForgetsNoFormerMember: one whose descriptors a thread watches that sleeps for the set.
func TestAThreadForgetsNoFormerMember(t *testing.T) {
	a, x := newOutside(t, "a", 11)
	b, _ := newOutside(t, "b", 12)
	set := newSet(t, a, b)
	s := event.NewSetSleeper(func() {})
	begin(t, s, set)
	if err := set.Remove(a); err != nil {
		t.Fatal(err)
	}
	var ev int
	direct := event.NewSleeper[int](func() {})
	if _, asleep, err := direct.Begin(a, &ev, 1, true); !asleep || err != nil {
		t.Fatal(asleep, err)
	}
	post(t, b, 1)
	wantAgain(t, s, b)
	if !slices.Equal(x.disarmed, []bool{false}) {
		t.Errorf("disarmed, alone: %v; somebody waits for it", x.disarmed)
	}
	_, _, _ = direct.Again(&ev, true)
}
