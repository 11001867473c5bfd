package event_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/event"
)

func flagged(d *event.Dispatcher[int]) *atomic.Uint32 {
	f := new(atomic.Uint32)
	event.ProviderOf(d).Flag(f)
	return f
}

func wantFlag(t *testing.T, f *atomic.Uint32, up bool, when string) {
	t.Helper()
	if (f.Load() != 0) != up {
		t.Fatalf("%s: the flag is %d", when, f.Load())
	}
}

func TestFlagFollowsTheQueue(t *testing.T) {
	d := event.New[int](event.Config{Depth: 4})
	f := flagged(d)
	wantFlag(t, f, true, "at first")
	wantPoll(t, d)
	wantFlag(t, f, false, "after an empty poll")
	post(t, d, 1, 2)
	wantFlag(t, f, true, "after a post")
	if ev, err := d.Dequeue(); ev != 1 || err != nil {
		t.Fatal(ev, err)
	}
	wantFlag(t, f, true, "with one left")
	wantPoll(t, d, 2)
	ev := 3
	event.ProviderOf(d).Put(&ev, true)
	wantFlag(t, f, true, "after a quiet event")
	wantPoll(t, d, 3)
	event.ProviderOf(d).Disable()
	wantPoll(t, d)
	post(t, d, 4)
	wantFlag(t, f, true, "disabled")
	event.ProviderOf(d).Disable()
	wantFlag(t, f, true, "disabled with an event")
}

// TestFlagIsSetWhenTheSetWakes: a program that the set wakes looks at the flag at once.
func TestFlagIsSetWhenTheSetWakes(t *testing.T) {
	d := event.New[int](event.Config{Depth: 4})
	f := flagged(d)
	wantPoll(t, d)
	s := newSet(t, d)
	woken := false
	sleeper := event.NewSetSleeper(func() {
		woken = true
		if f.Load() == 0 { // inside the dispatcher: no Fatal
			t.Error("the flag is not set in the wake-up")
		}
	})
	if _, asleep, err := sleeper.Begin(s, true); !asleep || err != nil {
		t.Fatal(asleep, err)
	}
	wantFlag(t, f, false, "asleep")
	post(t, d, 1)
	if !woken {
		t.Fatal("not woken")
	}
	if m, asleep, err := sleeper.Again(false); m != d || asleep || err != nil {
		t.Fatal(m, asleep, err)
	}
}

func TestFlagFollowsTheSources(t *testing.T) {
	d := event.New[int](event.Config{Depth: 8})
	s := attach(t, d)
	f := flagged(d)
	wantPoll(t, d)
	wantFlag(t, f, false, "after an empty poll")
	if !s.armed {
		t.Fatal("the source was not armed")
	}
	s.add(false, 1, 2)
	wantFlag(t, f, true, "after an arrival")
	if ev, err := d.Dequeue(); ev != 1 || err != nil {
		t.Fatal(ev, err)
	}
	wantFlag(t, f, true, "with one left")
	wantPoll(t, d, 2)
	wantPoll(t, d)
	wantFlag(t, f, false, "after a second empty poll")
	s.add(false, 3)
	wantFlag(t, f, true, "after another arrival")
	wantPoll(t, d, 3)
}

// What comes between the empty look and the arming must not be lost.
func TestFlagSeesWhatCameWhileArming(t *testing.T) {
	d := event.New[int](event.Config{Depth: 8})
	s := attach(t, d)
	f := flagged(d)
	first := true
	s.inDrain = func() {
		if first {
			first = false
			return
		}
		s.inDrain = nil
		s.mu.Lock() // quietly: nobody is told
		s.evs, s.wakes = append(s.evs, 7, 8), append(s.wakes, false, false)
		s.mu.Unlock()
	}
	dst := make([]int, 1)
	if n := d.Poll(dst); n != 1 || dst[0] != 7 {
		t.Fatalf("%d events, %v", n, dst)
	}
	wantFlag(t, f, true, "with one more")
	wantPoll(t, d, 8)
}

func TestFlagOfASourceThatCannotBeArmed(t *testing.T) {
	d := event.New[int](event.Config{})
	s := attach(t, d)
	s.armErr = errors.New("unplugged")
	f := flagged(d)
	wantPoll(t, d)
	wantErr(t, d.Err(), s.armErr)
	wantFlag(t, f, true, "so that the next poll tells of it, too")
}

func TestFlagAfterAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{Depth: 8})
		s := attach(t, d)
		f := flagged(d)
		wantPoll(t, d)
		c := waitFor(d, background, 1)
		s.add(false, 1, 2)
		if r := over(t, c); r.first != 1 {
			t.Fatalf("got %+v", r)
		}
		wantFlag(t, f, true, "after a wait that left one")
		wantPoll(t, d, 2)
		wantPoll(t, d)
		wantFlag(t, f, false, "empty")
		c = waitFor(d, background, 1)
		s.add(false, 3)
		over(t, c)
		wantPoll(t, d)
		s.add(false, 4)
		wantFlag(t, f, true, "after an arrival behind a wait")
	})
}

// flaggedInSet makes an empty dispatcher with a source, in a set, with its flag.
func flaggedInSet(t *testing.T) (*event.Dispatcher[int], *source, *event.Set, *atomic.Uint32) {
	t.Helper()
	d := event.New[int](event.Config{Depth: 8})
	s := attach(t, d)
	set := event.NewSet()
	t.Cleanup(func() { set.Close() })
	if err := set.Add(d); err != nil {
		t.Fatal(err)
	}
	f := flagged(d)
	wantPoll(t, d)
	return d, s, set, f
}

func TestFlagBesideASet(t *testing.T) {
	d, s, set, f := flaggedInSet(t)
	s.add(false, 1)
	wantFlag(t, f, true, "in a set")
	if m, err := set.WaitTriggerTimeout(0); m != event.Member(d) || err != nil {
		t.Fatal(m, err)
	}
	wantPoll(t, d, 1)
	if err := set.Remove(d); err != nil {
		t.Fatal(err)
	}
	wantPoll(t, d)
	s.add(false, 2)
	wantFlag(t, f, true, "out of the set")
}

func TestFlagStaysUpAfterClose(t *testing.T) {
	d := event.New[int](event.Config{})
	f := flagged(d)
	wantPoll(t, d)
	d.Close()
	wantFlag(t, f, true, "closed")
	d.Poll(make([]int, 1))
	wantFlag(t, f, true, "for good")
	wantFlag(t, flagged(d), true, "of one that was closed before")
}

// Quiet events in a source set no flag; a consumer that takes some of them sees the flag for
// the rest.
func TestFlagGoesUpWithAPartTaken(t *testing.T) {
	d := event.New[int](event.Config{Depth: 8})
	s := attach(t, d)
	f := flagged(d)
	wantPoll(t, d)
	s.add(true, 1, 2)
	wantFlag(t, f, false, "after quiet events")
	if n := d.Poll(make([]int, 1)); n != 1 {
		t.Fatal("polled ", n)
	}
	wantFlag(t, f, true, "with one left")
}

// A wait takes a single event from the source without the queue. It cannot know what the source has next.
func TestFlagGoesUpWithAnEventOfTheSource(t *testing.T) {
	d := event.New[int](event.Config{Depth: 8})
	s := attach(t, d)
	f := flagged(d)
	var first int
	for what, take := range map[string]func() error{
		"a dequeue": func() (err error) { first, err = d.Dequeue(); return err },
		"a wait":    func() (err error) { first, _, err = d.WaitTimeout(0, 1); return err },
		"a sleeper": func() error {
			_, asleep, err := event.NewSleeper[int](func() {}).Begin(d, &first, 1, true)
			if asleep {
				t.Error("the sleeper sleeps")
			}
			return err
		},
	} {
		wantPoll(t, d)
		wantFlag(t, f, false, "before "+what)
		s.add(true, 5)
		if err := take(); first != 5 || err != nil {
			t.Fatalf("%s: %d, %v", what, first, err)
		}
		wantFlag(t, f, true, "after "+what)
		first = 0
	}
}

// A flag that is up does not keep the set from being told.
func TestSetIsToldBesideAFlag(t *testing.T) {
	d, s, set, f := flaggedInSet(t)
	s.add(false, 1, 2)
	for range 2 {
		wantFlag(t, f, true, "with something there")
		if _, err := set.WaitTriggerTimeout(0); err != nil {
			t.Fatal(err)
		}
		if n := d.Poll(make([]int, 1)); n != 1 {
			t.Fatal("polled ", n)
		}
	}
}
