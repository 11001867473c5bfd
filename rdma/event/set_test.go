package event_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma/event"
)

func newSet(t testing.TB, members ...event.Member) *event.Set {
	t.Helper()
	s := event.NewSet()
	if err := s.Add(members...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func two(t testing.TB) (s *event.Set, a *event.Dispatcher[int], b *event.Dispatcher[string]) {
	a = event.New[int](event.Config{Name: "a"})
	b = event.New[string](event.Config{Name: "b"})
	return newSet(t, a, b), a, b
}

// setWait starts a wait inside a bubble.
func setWait(s *event.Set) <-chan event.Member {
	c := make(chan event.Member, 1)
	go func() {
		m, err := s.Wait(background)
		if err != nil {
			close(c)
			return
		}
		c <- m
	}()
	synctest.Wait()
	return c
}

func TestATriggerIsStickyAndResetByAWait(t *testing.T) {
	s, a, _ := two(t)
	nobodyReady(t, s)
	post(t, a, 1)
	post(t, a, 2)
	wantReady(t, s, a) // without a waiter at the time
	nobodyReady(t, s)  // reported, and left alone
	post(t, a, 3)
	wantReady(t, s, a) // more has arrived
}

func TestNoReadyDispatcherIsStranded(t *testing.T) {
	s, a, b := two(t)
	post(t, a, 1)
	b.Post("x")
	post(t, a, 2)
	wantReady(t, s, a) // the first that triggered
	wantReady(t, s, b) // at once
	nobodyReady(t, s)
}

func TestADrainedDispatcherIsNotReady(t *testing.T) {
	s, a, b := two(t)
	post(t, a, 1, 2)
	b.Post("x")
	wantPoll(t, a, 1, 2)
	wantReady(t, s, b)
	nobodyReady(t, s)
	post(t, a, 3)
	a.Dequeue()
	nobodyReady(t, s)
}

// A consumer that takes some of the events and waits again must not sleep.
func TestADispatcherOfWhichAPartWasTakenIsReadyAgain(t *testing.T) {
	take := map[string]func(a *event.Dispatcher[int]){
		"Dequeue":   func(a *event.Dispatcher[int]) { a.Dequeue() },
		"Poll":      func(a *event.Dispatcher[int]) { a.Poll(make([]int, 1)) },
		"Wait":      func(a *event.Dispatcher[int]) { a.Wait(background, 1) },
		"WaitBatch": func(a *event.Dispatcher[int]) { a.WaitBatch(background, make([]int, 1)) },
	}
	for name, take := range take {
		for _, pulled := range []bool{false, true} {
			s, a, _ := two(t)
			if pulled {
				attach(t, a).add(false, 1, 2, 3)
			} else {
				post(t, a, 1, 2, 3)
			}
			for range 3 {
				if _, err := s.WaitTimeout(0); err != nil {
					t.Fatalf("%s, pulled %v: %v", name, pulled, err)
				}
				take(a)
			}
			wantPoll(t, a)
			nobodyReady(t, s)
		}
	}
}

// TestOneBatchPerWaitStarvesNobody has a dispatcher whose source never runs dry.
func TestOneBatchPerWaitStarvesNobody(t *testing.T) {
	busy, other := event.New[int](event.Config{Name: "busy"}), event.New[int](event.Config{Name: "other"})
	busySource, otherSource := attach(t, busy), attach(t, other)
	set := event.NewSet()
	defer set.Close()
	if err := set.Add(busy, other); err != nil {
		t.Fatal(err)
	}
	var buf [8]int
	for range 100 {
		otherSource.add(true, 1)
		event.ProviderOf(other).Wake()
		waits := 0
		for got := event.Member(nil); got != other; {
			if waits++; waits > 2 {
				t.Fatal("the other dispatcher does not have its turn")
			}
			busySource.add(true, 2, 2, 2, 2, 2, 2, 2, 2)
			event.ProviderOf(busy).Wake()
			var err error
			if got, err = set.Wait(background); err != nil {
				t.Fatal(err)
			}
			if n := got.(*event.Dispatcher[int]).Poll(buf[:]); n == 0 {
				waits-- // what it had was taken before: it is armed now
			}
		}
	}
}

func TestOneWaiterIsWokenPerTrigger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a, b := two(t)
		w1, w2 := setWait(s), setWait(s)
		post(t, a, 1, 2)
		synctest.Wait()
		if len(w1) != 1 || len(w2) != 0 {
			t.Fatal("want the one that has waited longest to be woken, and only it")
		}
		if m := <-w1; m != a {
			t.Fatalf("got %v", m)
		}
		b.Post("x")
		if m := <-w2; m != b {
			t.Fatalf("got %v", m)
		}
	})
}

func TestWhatDoesNotTriggerASet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a, _ := two(t)
		one := 1
		event.ProviderOf(a).Put(&one, true)
		nobodyReady(t, s) // quiet
		wantPoll(t, a, 1)

		event.ProviderOf(a).Disable()
		post(t, a, 1)
		nobodyReady(t, s) // disabled
		if a.State()&event.Enabled != 0 {
			t.Error("still enabled")
		}
		event.ProviderOf(a).Enable()
		wantReady(t, s, a) // once, as something is queued
		nobodyReady(t, s)
		wantPoll(t, a, 1)
		event.ProviderOf(a).Enable() // nothing is queued
		nobodyReady(t, s)

		c := waitFor(a, background, 1)
		post(t, a, 1)
		over(t, c)
		nobodyReady(t, s) // somebody waited directly, and took it

		ch := a.C()
		post(t, a, 1)
		<-ch
		synctest.Wait()
		nobodyReady(t, s)
		a.Close()
	})
}

func TestASetIsToldOfWhatADirectWaiterLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a, _ := two(t)
		ctx, cancel := context.WithCancel(background)
		c := waitFor(a, ctx, 3)
		post(t, a, 1, 2)
		nobodyReady(t, s)
		cancel()
		over(t, c)
		wantReady(t, s, a)
	})
}

func TestDisableTakesADispatcherOffTheList(t *testing.T) {
	s, a, b := two(t)
	post(t, a, 1)
	b.Post("x")
	event.ProviderOf(a).Disable()
	wantReady(t, s, b)
	nobodyReady(t, s)
}

func TestAddTriggersForWhatIsQueued(t *testing.T) {
	a := event.New[int](event.Config{})
	post(t, a, 1)
	s := newSet(t, a)
	wantReady(t, s, a)

	b := event.New[int](event.Config{})
	src := attach(t, b)
	src.add(false, 1)
	s2 := newSet(t, b)
	wantReady(t, s2, b)
}

func TestADispatcherIsInOneSetAtATime(t *testing.T) {
	s, a, b := two(t)
	if err := s.Add(a); err != nil {
		t.Fatal("adding it again:", err)
	}
	other := newSet(t)
	wantErr(t, other.Add(a), event.ErrInUse)
	wantErr(t, other.Remove(a), event.ErrInvalid)
	post(t, a, 1)
	if err := s.Remove(a); err != nil || s.Len() != 1 {
		t.Fatal(err, s.Len())
	}
	if a.State()&event.InSet != 0 || b.State()&event.InSet == 0 {
		t.Error("wrong states")
	}
	nobodyReady(t, s) // its trigger has gone with it
	if err := other.Add(a); err != nil {
		t.Fatal(err)
	}
	wantReady(t, other, a)
}

func TestSetTimeoutAndContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, _ := two(t)
		start := time.Now()
		_, err := s.WaitTimeout(second)
		wantErr(t, err, event.ErrTimeout)
		if time.Since(start) != second {
			t.Error("too early or too late")
		}
		ctx, cancel := context.WithTimeout(background, second)
		defer cancel()
		_, err = s.Wait(ctx)
		wantErr(t, err, event.ErrTimeout)
		for m, err := range s.Ready(ctx) {
			if m != nil {
				t.Error("Ready does not end with its context")
			}
			wantErr(t, err, event.ErrTimeout)
		}
	})
}

func TestClosingTheSetWakesEverybody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a, _ := two(t)
		w1, w2, c := setWait(s), setWait(s), s.C()
		s.Close()
		for _, w := range []<-chan event.Member{w1, w2, c, s.C()} {
			if _, ok := <-w; ok {
				t.Error("a waiter got a dispatcher")
			}
		}
		_, err := s.Wait(background)
		wantErr(t, err, event.ErrClosed)
		if a.State() != event.Enabled|event.Waitable || s.Len() != 0 {
			t.Errorf("a dispatcher is %v", a.State())
		}
		if s.Close() != nil {
			t.Error("closing twice")
		}
		wantErr(t, s.Add(a), event.ErrClosed)
	})
}

func TestClosingTheLastDispatcherWakesEverybody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a, b := two(t)
		w1, w2, c := setWait(s), setWait(s), s.C()
		s.Remove(a)
		synctest.Wait()
		b.Close()
		for _, w := range []<-chan event.Member{w1, w2, c} {
			if _, ok := <-w; ok {
				t.Error("a waiter got a dispatcher")
			}
		}
		// A later wait ends as well: between two waits of a loop, nobody would wake it any
		// more.
		if _, err := s.WaitTimeout(second); !errors.Is(err, event.ErrClosed) {
			t.Errorf("a wait that began after the close: %v", err)
		}
		if _, ok := <-s.C(); ok {
			t.Error("a channel that began after the close gave something")
		}
		// The set itself is still good.
		if err := s.Add(a); err != nil {
			t.Fatal(err)
		}
		w := setWait(s)
		s.Remove(a) // removed, not closed
		synctest.Wait()
		if len(w) != 0 {
			t.Error("removing the last dispatcher woke a waiter")
		}
		s.Add(a)
		post(t, a, 1)
		if m := <-w; m != a {
			t.Errorf("got %v", m)
		}
	})
}

func TestReadyIteratesOverWhatIsReady(t *testing.T) {
	s, a, b := two(t)
	post(t, a, 1)
	b.Post("x")
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	var got []string
	for ready, err := range s.Ready(ctx) {
		if err != nil {
			wantErr(t, err, event.ErrCanceled)
			break
		}
		switch ready {
		case a:
			got = append(got, "a")
			wantPoll(t, a, 1)
		case b:
			got = append(got, "b")
			if ev, err := b.Dequeue(); ev != "x" || err != nil {
				t.Fatal(ev, err)
			}
			cancel()
		}
	}
	if len(got) != 2 || got[0] != "a" || got[1] != "b" {
		t.Fatalf("got %v", got)
	}
}

func TestTheChannelOfASet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a, b := two(t)
		c := s.C()
		if s.C() != c {
			t.Fatal("a second channel")
		}
		post(t, a, 1)
		if m := <-c; m != a {
			t.Fatalf("got %v", m)
		}
		b.Post("x")
		synctest.Wait() // the goroutine holds b
		post(t, a, 2)
		s.StopChan()
		s.StopChan()
		if _, ok := <-c; ok {
			t.Fatal("the channel is not closed")
		}
		wantReady(t, s, b) // first again
		wantReady(t, s, a)
		if m, ok := s.C(), true; m == c || !ok {
			t.Fatal("the old channel again")
		}
	})
}
