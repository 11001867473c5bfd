package event_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/wait"
	"github.com/godapl/godapl/rdma/event"
)

// A berth is a parker that writes down what is asked of it.
type berth struct {
	name  string
	log   *[]string
	owned bool
	kicks chan struct{}
	kick  func()
	full  bool   // it has no place for an owner
	parts func() // the first call of Part begins with it
	lacks func() // the first call of Gather that fails ends with it
}

func (b *berth) note(what string) { *b.log = append(*b.log, b.name+" "+what) }

func (b *berth) AcquirePark() bool {
	if b.owned || b.full {
		return false
	}
	b.owned = true
	b.note("acquired")
	return true
}

func (b *berth) Park(again func() bool) bool {
	for {
		<-b.kicks
		if again == nil || again() {
			return true
		}
	}
}

func (b *berth) Kicker() *func() { return &b.kick }
func (b *berth) ReleasePark()    { b.owned = false; b.note("released") }
func (b *berth) Elsewhere()      { b.note("elsewhere") }

func (b *berth) Gather(other wait.Parker) bool {
	if other.(*berth).owned {
		if f := b.lacks; f != nil {
			b.lacks = nil
			f()
		}
		return false
	}
	b.note("gathers " + other.(*berth).name)
	return true
}

func (b *berth) Part(alone bool) {
	if f := b.parts; f != nil {
		b.parts = nil
		f()
	}
	b.owned = false
	b.note(fmt.Sprint("parted, alone ", alone))
}

// berthed is a source with a parker.
type berthed struct {
	*source
	*berth
}

func (b berthed) Parker() wait.Parker { return b.berth }

// said returns what the berths have written down, sorted: the first of them is any member.
func said(log *[]string) []string {
	l := slices.Sorted(slices.Values(*log))
	*log = nil
	return l
}

func wantSaid(t *testing.T, log *[]string, want ...string) {
	t.Helper()
	if got := said(log); !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
}

func newBerth(t *testing.T, name string, log *[]string) (*event.Dispatcher[int], berthed) {
	d := event.New[int](event.Config{Name: name})
	b := berthed{newSource(d), &berth{name: name, log: log, kicks: make(chan struct{}, 1)}}
	b.kick = func() {
		select {
		case b.kicks <- struct{}{}:
		default:
		}
	}
	if err := event.ProviderOf(d).Attach(b); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d, b
}

// TestASetParksAtItsMembers: one of them is the host, and gathers the other. The waiter parts alone.
func TestASetParksAtItsMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []string
		a, x := newBerth(t, "a", &log)
		b, y := newBerth(t, "b", &log)
		y.full = true // so that a is the host
		s := newSet(t, a, b)
		w := setWait(s)
		wantSaid(t, &log, "a acquired", "a gathers b")
		y.add(false, 1)
		synctest.Wait()
		if len(w) != 1 || <-w != b {
			t.Fatal("no event of the guest wakes the waiter")
		}
		wantSaid(t, &log, "a parted, alone true")
		wantPoll(t, b, 1)
		wantPoll(t, b)
		if w = setWait(s); len(w) != 0 {
			t.Fatal("ready without an event")
		}
		x.add(false, 2)
		synctest.Wait()
		if len(w) != 1 || <-w != a {
			t.Fatal("no event of the host wakes the waiter")
		}
		wantSaid(t, &log, "a acquired", "a gathers b", "a parted, alone true")
	})
}

// TestALargeSetTellsItsMembers: nobody parks at them any more. A member may come from a set whose waiter has said that it
// would be back.
func TestALargeSetTellsItsMembers(t *testing.T) {
	var log []string
	s := newSet(t)
	var names []string
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		d, _ := newBerth(t, name, &log)
		if err := s.Add(d); err != nil {
			t.Fatal(err)
		}
		names = append(names, name+" elsewhere")
	}
	wantSaid(t, &log)
	for _, name := range []string{"i", "j"} {
		d, _ := newBerth(t, name, &log)
		if err := s.Add(d); err != nil {
			t.Fatal(err)
		}
		names = append(names, name+" elsewhere")
		wantSaid(t, &log, names...)
		names = nil // the others know it
	}
}

// others are whom a set has to tell of events besides its waiter. Each begins one, and returns what ends it.
var others = map[string]func(s *event.Set, a *event.Dispatcher[int]) (end func()){
	"waiter": func(s *event.Set, _ *event.Dispatcher[int]) func() {
		ctx, cancel := context.WithCancel(background)
		go s.Wait(ctx)
		return cancel
	},
	"threshold": func(s *event.Set, _ *event.Dispatcher[int]) func() {
		ctx, cancel := context.WithCancel(background)
		go s.WaitThreshold(ctx, 2)
		return cancel
	},
	"notify": func(s *event.Set, _ *event.Dispatcher[int]) func() {
		s.Notify(func(event.Member) {})
		return func() { s.Notify(nil) }
	},
	"direct": func(_ *event.Set, a *event.Dispatcher[int]) func() {
		ctx, cancel := context.WithCancel(background)
		go a.Wait(ctx, 2)
		return cancel
	},
}

// TestAWaiterDoesNotPartAlone while a set has others.
func TestAWaiterDoesNotPartAlone(t *testing.T) {
	for name, other := range others {
		if name == "direct" || name == "notify" {
			continue // the first is not of the set, and the second is over with the event
		}
		synctest.Test(t, func(t *testing.T) {
			var log []string
			a, x := newBerth(t, "a", &log)
			s := newSet(t, a)
			w := setWait(s)
			end := other(s, a)
			synctest.Wait()
			x.add(false, 1)
			synctest.Wait()
			if len(w) == 0 {
				t.Fatalf("%s: the waiter sleeps on", name)
			}
			if got := said(&log); !slices.Contains(got, "a parted, alone false") {
				t.Errorf("%s: %q", name, got)
			}
			end()
			synctest.Wait()
		})
	}
}

// TestLaterSleepersOfASetAreWoken: the parker, which a waiter has left alone, learns of those who come then.
func TestLaterSleepersOfASetAreWoken(t *testing.T) {
	for name, other := range others {
		synctest.Test(t, func(t *testing.T) {
			var log []string
			a, x := newBerth(t, "a", &log)
			s := newSet(t, a)
			w := setWait(s)
			x.add(false, 1)
			synctest.Wait()
			if len(w) == 0 {
				t.Fatalf("%s: the waiter sleeps on", name)
			}
			for a.Poll(make([]int, 1)) > 0 {
			}
			x.full = true
			wantSaid(t, &log, "a acquired", "a parted, alone true")
			end := other(s, a)
			synctest.Wait()
			wantSaid(t, &log, "a elsewhere")
			end()
			synctest.Wait()
		})
	}
}

// TestASetKnowsItsParkers: also when members and sources come and go. A set of many members does not park.
func TestASetKnowsItsParkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []string
		a, _ := newBerth(t, "a", &log)
		s := newSet(t, a)
		try := func(want ...string) {
			t.Helper()
			said(&log)
			if m, err := s.WaitTimeout(second); err == nil {
				t.Fatalf("got %v", m)
			}
			wantSaid(t, &log, want...)
		}
		try("a acquired", "a parted, alone true")
		b, y := newBerth(t, "b", &log)
		y.full = true
		if err := s.Add(b); err != nil {
			t.Fatal(err)
		}
		try("a acquired", "a gathers b", "a parted, alone true")
		event.ProviderOf(b).Detach(y)
		try("a acquired", "a parted, alone true")
		event.ProviderOf(b).Attach(y)
		try("a acquired", "a gathers b", "a parted, alone true")
		s.Remove(b)
		try("a acquired", "a parted, alone true")
		for range 8 {
			more, z := newBerth(t, "more", new([]string))
			z.full = true
			if err := s.Add(more); err != nil {
				t.Fatal(err)
			}
		}
		try("a elsewhere")
		try()
	})
}

// TestTheChannelOfASetParks, and ends when it is stopped.
func TestTheChannelOfASetParks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []string
		a, x := newBerth(t, "a", &log)
		s := newSet(t, a)
		c := s.C()
		synctest.Wait()
		wantSaid(t, &log, "a acquired")
		x.add(false, 1)
		if m := <-c; m != a {
			t.Fatal(m)
		}
		synctest.Wait()
		wantSaid(t, &log, "a acquired", "a parted, alone true")
		s.StopChan()
		wantSaid(t, &log, "a parted, alone true")
	})
}

// TestOneWhoComesWhileTheHostParts is told to the member, also if the member knows nothing yet of the parting.
func TestOneWhoComesWhileTheHostParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []string
		d, b := newBerth(t, "a", &log)
		s := newSet(t, d)
		var second sync.WaitGroup
		b.parts = func() {
			second.Go(func() { _, _ = s.WaitTimeout(time.Second) })
			synctest.Wait()
		}
		_, _ = s.WaitTimeout(time.Second)
		if got, want := log, []string{"a acquired", "a elsewhere", "a parted, alone true", "a elsewhere"}; len(got) < 4 || !slices.Equal(got[:4], want) {
			t.Errorf("said %q, want %q", got, want)
		}
		second.Wait()
	})
}

// TestOneWhoWaitsForAMember is not forgotten when the waiter of the set leaves.
func TestOneWhoWaitsForAMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []string
		d, _ := newBerth(t, "a", &log)
		s := newSet(t, d)
		var direct sync.WaitGroup
		direct.Go(func() { _, _, _ = d.WaitTimeout(time.Hour, 1) })
		synctest.Wait()
		_, _ = s.WaitTimeout(time.Second)
		if !slices.Contains(log, "a parted, alone false") {
			t.Errorf("said %q", log)
		}
		direct.Wait()
	})
}
