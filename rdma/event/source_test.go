package event_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/event"
)

func TestPollTakesStraightFromTheSource(t *testing.T) {
	d := event.New[int](event.Config{Depth: 2}) // less than the source holds
	s := attach(t, d)
	s.add(false, 1, 2, 3, 4, 5)
	dst := make([]int, 4)
	if n := d.Poll(dst); n != 4 || dst[3] != 4 || s.drains != 1 {
		t.Fatalf("%d events, %v, in %d drains", n, dst, s.drains)
	}
	wantPoll(t, d, 5)
	if s.arms != 0 {
		t.Errorf("polling armed the source %d times", s.arms)
	}
}

func TestQueuedEventsComeBeforeTheSource(t *testing.T) {
	d := event.New[int](event.Config{})
	s := attach(t, d)
	s.add(false, 1, 2)
	if !event.ProviderOf(d).Pump() {
		t.Fatal("Pump found somebody at the source")
	}
	if d.Len() != 2 || s.held() != 0 {
		t.Fatalf("%d queued, %d left", d.Len(), s.held())
	}
	s.add(false, 4, 5)
	post(t, d, 3)
	wantPoll(t, d, 1, 2, 3, 4, 5)
}

func TestPumpMovesOnlyWhatFits(t *testing.T) {
	d := event.New[int](event.Config{Depth: 3, Overflow: func(err error) { t.Error(err) }})
	s := attach(t, d)
	post(t, d, 0)
	s.add(false, 1, 2, 3, 4)
	event.ProviderOf(d).Pump()
	if d.Len() != 3 || s.held() != 2 {
		t.Fatalf("%d queued, %d left", d.Len(), s.held())
	}
	wantErr(t, d.Post(9), event.ErrQueueFull)
	wantPoll(t, d, 0, 1, 2, 3, 4)
}

func TestWaitCountsWhatSourcesHold(t *testing.T) {
	d := event.New[int](event.Config{Depth: 8})
	s := attach(t, d)
	s.add(true, 1, 2, 3)
	if first, more, err := d.Wait(background, 3); first != 1 || more != 2 || err != nil {
		t.Fatal(first, more, err)
	}
	s.add(false, 4)
	if ev, err := d.Dequeue(); ev != 2 || err != nil {
		t.Fatal(ev, err)
	}
	wantPoll(t, d, 3, 4)
	_, more, err := d.WaitTimeout(0, 1)
	wantErr(t, err, event.ErrTimeout)
	if more != 0 {
		t.Fatal(more)
	}
}

func TestAWaiterArmsItsSourcesAndIsWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{})
		s := attach(t, d)
		c := waitFor(d, background, 3)
		if s.armCount() != 1 {
			t.Fatalf("armed %d times", s.armCount())
		}
		s.add(true, 1, 2) // quiet
		still(t, c)
		if s.armCount() != 1 {
			t.Fatal("a quiet event woke the waiter")
		}
		s.add(false, 3)
		if r := over(t, c); r != (result{1, 2, nil}) {
			t.Fatalf("got %+v", r)
		}
	})
}

func TestASourceAttachedWhileSomebodyWaitsIsArmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{})
		c := waitFor(d, background, 1)
		s := attach(t, d)
		still(t, c)
		s.add(false, 1)
		if r := over(t, c); r.first != 1 {
			t.Fatalf("got %+v", r)
		}
	})
}

func TestAWaitEndsIfItsSourceCannotBeArmed(t *testing.T) {
	d := event.New[int](event.Config{})
	s := attach(t, d)
	s.armErr = errors.New("unplugged")
	_, _, err := d.Wait(background, 1)
	wantErr(t, err, s.armErr)
	post(t, d, 1)
	if first, _, err := d.Wait(background, 1); first != 1 || err != nil {
		t.Fatal(first, err)
	}
}

func TestSeveralSourcesAllComeToTheirTurn(t *testing.T) {
	d := event.New[int](event.Config{})
	a, b := attach(t, d), attach(t, d)
	for i := range 100 {
		a.add(false, i)
		b.add(false, 1000+i)
	}
	dst := make([]int, 10)
	nextA, nextB := 0, 1000
	for round := 0; nextA < 100 || nextB < 1100; round++ {
		for _, ev := range dst[:d.Poll(dst)] {
			switch ev {
			case nextA:
				nextA++
			case nextB:
				nextB++
			default:
				t.Fatalf("got %d, want %d or %d", ev, nextA, nextB)
			}
		}
		if round == 3 && (nextA == 0 || nextB == 1000) {
			t.Fatal("one source starves")
		}
	}
}

func TestDetachKeepsEventsAndEndsCalls(t *testing.T) {
	d := event.New[int](event.Config{Depth: 2})
	s := attach(t, d)
	wantErr(t, event.ProviderOf(d).Attach(s), event.ErrState)
	s.add(false, 1, 2, 3) // more than fit
	if err := event.ProviderOf(d).Detach(s); err != nil {
		t.Fatal(err)
	}
	wantErr(t, event.ProviderOf(d).Detach(s), event.ErrInvalid)
	if d.Len() != 3 {
		t.Fatalf("%d queued, want 3", d.Len())
	}
	s.add(false, 4)
	drains := s.drains
	wantPoll(t, d, 1, 2, 3)
	if s.drains != drains {
		t.Fatal("a detached source was drained")
	}
}

func TestDetachLetsGoWhatWaitedForTheSource(t *testing.T) {
	d := event.New[int](event.Config{Depth: 2})
	s := attach(t, d)
	s.add(false, 1, 2, 3)
	last := 4
	event.ProviderOf(d).PutAfterSources(&last, false)
	if s.held() == 0 {
		t.Fatal("the source is empty: the test tests nothing")
	}
	event.ProviderOf(d).Detach(s)
	wantPoll(t, d, 1, 2, 3, 4)
}

func TestAnEventPutAfterSourcesComesBehindThem(t *testing.T) {
	for _, depth := range []int{3, 4, 100} {
		d := event.New[int](event.Config{Depth: depth})
		s := attach(t, d)
		post(t, d, 1)
		s.add(false, 2, 3, 4, 5)
		last := 6
		if !event.ProviderOf(d).PutAfterSources(&last, false) {
			t.Fatal("no room")
		}
		last = 0     // it was copied
		s.add(false) // nothing
		var got []int
		dst := make([]int, 2)
		for n := d.Poll(dst); n > 0; n = d.Poll(dst) {
			got = append(got, dst[:n]...)
		}
		for i := range 6 {
			if len(got) != 6 || got[i] != i+1 {
				t.Fatalf("depth %d: got %v", depth, got)
			}
		}
	}
}

// With every place taken by such events, the sources can still run dry.
func TestEventsPutAfterSourcesNeverBlockThem(t *testing.T) {
	d := event.New[int](event.Config{Depth: 2})
	s := attach(t, d)
	s.add(false, 1, 2, 3)
	for ev := 4; ev <= 5; ev++ {
		if !event.ProviderOf(d).PutAfterSources(&ev, false) {
			break
		}
	}
	for want := 1; want <= 4; want++ {
		if first, _, err := d.WaitTimeout(0, 1); first != want || err != nil {
			t.Fatalf("got %d, %v; want %d", first, err, want)
		}
	}
}

func TestEventsPutAfterSourcesCountForTheThreshold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{Depth: 2})
		s := attach(t, d)
		c := waitFor(d, background, 2)
		s.add(true, 1)
		last := 2
		event.ProviderOf(d).PutAfterSources(&last, false)
		if r := over(t, c); r != (result{1, 1, nil}) {
			t.Fatalf("got %+v", r)
		}
	})
}

// An adapter calls back while it is polled: the drain lock is then held further
// up the stack.
func TestCallbacksInsideADrain(t *testing.T) {
	d := event.New[int](event.Config{})
	s := attach(t, d)
	once := true
	s.inDrain = func() {
		if !once {
			return
		}
		once = false
		now, later := 10, 20
		event.ProviderOf(d).Put(&now, false)
		event.ProviderOf(d).PutAfterSources(&later, false)
		post(t, d, 30) // behind that, too
		if event.ProviderOf(d).Pump() {
			t.Error("pumped inside a drain")
		}
		event.ProviderOf(d).Wake()
	}
	s.add(false, 1, 2)
	var got []int
	dst := make([]int, 8)
	for n := d.Poll(dst); n > 0; n = d.Poll(dst) {
		got = append(got, dst[:n]...)
	}
	at := make(map[int]int)
	for i, ev := range got {
		at[ev] = i + 1
	}
	if len(got) != 5 || at[30] < at[20] || at[20] < at[2] || at[2] < at[1] || at[10] == 0 {
		t.Fatalf("got %v", got)
	}
}

// Two dispatchers whose sources call back into each other must not wait for
// each other.
func TestCallbacksAcrossDispatchersDoNotDeadlock(t *testing.T) {
	a, b := event.New[int](event.Config{}), event.New[int](event.Config{})
	sa, sb := attach(t, a), attach(t, b)
	sa.inDrain = func() { event.ProviderOf(b).Pump(); ev := 1; event.ProviderOf(b).PutAfterSources(&ev, true) }
	sb.inDrain = func() { event.ProviderOf(a).Pump(); ev := 1; event.ProviderOf(a).PutAfterSources(&ev, true) }
	done := make(chan struct{})
	poll := func(d *event.Dispatcher[int]) {
		dst := make([]int, 64)
		for range 3000 {
			d.Poll(dst)
		}
		done <- struct{}{}
	}
	for range 2 {
		go poll(a)
		go poll(b)
	}
	for range 4 {
		<-done
	}
}

// The places are all taken by events that wait for the sources: there must
// still be a way out of the sources.
func TestEventsPutAfterSourcesCannotLockThemUp(t *testing.T) {
	d := event.New[int](event.Config{Depth: 2})
	s := attach(t, d)
	s.add(false, 1, 2, 3)
	s.inDrain = func() {
		s.inDrain = nil
		for ev := 4; ev <= 5; ev++ {
			if !event.ProviderOf(d).PutAfterSources(&ev, false) {
				t.Error("no room")
			}
		}
	}
	var got []int
	one := make([]int, 1)
	for d.Poll(one) == 1 {
		got = append(got, one[0])
	}
	if !slices.Equal(got, []int{1, 2, 3, 4, 5}) {
		t.Fatalf("got %v", got)
	}
}

// What a callback leaves behind during the last look before a park, or before a
// set is waited on, must not be left there.
func TestWhoeverPollsFinishesWhatACallbackHasLeft(t *testing.T) {
	for name, take := range map[string]func(d *event.Dispatcher[int]){
		"Poll":    func(d *event.Dispatcher[int]) { d.Poll(make([]int, 1)) },
		"Dequeue": func(d *event.Dispatcher[int]) { d.Dequeue() },
	} {
		t.Run(name, func(t *testing.T) {
			set, d, _ := two(t)
			s := attach(t, d)
			drains := 0
			s.inDrain = func() {
				if drains++; drains == 2 { // the look after the arming
					last := 9
					event.ProviderOf(d).PutAfterSources(&last, false)
				}
			}
			take(d)
			wantReady(t, set, d)
			s.inDrain = nil
			wantPoll(t, d, 9)
		})
	}
	t.Run("WaitBatch", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			d := event.New[int](event.Config{Burst: -1})
			s := attach(t, d)
			arms := 0
			s.inDrain = func() {
				if s.armCount() > arms {
					arms = s.armCount()
					last := 9
					event.ProviderOf(d).PutAfterSources(&last, false)
				}
			}
			buf := make([]int, 1)
			if n, err := d.WaitBatchTimeout(second, buf); n != 1 || buf[0] != 9 {
				t.Fatal(n, err)
			}
		})
	})
}
