package event_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/event"
)

// Sources are armed when a poll has found nothing, and only in a set.
func TestAPollThatFindsNothingArmsTheSources(t *testing.T) {
	s, a, _ := two(t)
	src := attach(t, a)
	arms := func(want int) {
		t.Helper()
		if src.arms != want {
			t.Fatalf("armed %d times, want %d", src.arms, want)
		}
	}
	arms(1) // by Attach
	src.add(false, 1)
	wantReady(t, s, a)
	src.add(false, 2) // not armed: unnoticed
	if n := a.Poll(make([]int, 1)); n != 1 {
		t.Fatal(n)
	}
	arms(1)
	wantReady(t, s, a) // there may be more
	wantPoll(t, a, 2)
	wantPoll(t, a)
	arms(2)
	nobodyReady(t, s)
	src.add(true, 3)
	nobodyReady(t, s)
	src.add(false, 4)
	wantReady(t, s, a)
	for _, want := range []int{3, 4} {
		if ev, err := a.Dequeue(); ev != want || err != nil {
			t.Fatal(ev, err)
		}
	}
	_, err := a.Dequeue()
	wantErr(t, err, event.ErrQueueEmpty)
	arms(3)
	nobodyReady(t, s)
	src.add(false, 5)
	wantReady(t, s, a)
	s.Remove(a)
	wantPoll(t, a, 5)
	wantPoll(t, a)
	arms(3)
}

// A wait that may not block is a poll.
func TestAWaitOfNoTimeArmsTheSourcesToo(t *testing.T) {
	s, a, _ := two(t)
	src := attach(t, a)
	src.add(false, 1)
	wantReady(t, s, a)
	if ev, _, err := a.WaitTimeout(0, 1); ev != 1 || err != nil {
		t.Fatal(ev, err)
	}
	_, _, err := a.WaitTimeout(0, 1)
	wantErr(t, err, event.ErrTimeout)
	nobodyReady(t, s)
	src.add(false, 2)
	wantReady(t, s, a)
	_, more, err := a.WaitTimeout(0, 3) // too few, but they are queued now
	wantErr(t, err, event.ErrTimeout)
	if more != 1 {
		t.Fatalf("more %d, want 1", more)
	}
	s.WaitTimeout(0)
	_, err = a.WaitBatchTimeout(0, make([]int, 1))
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.WaitBatchTimeout(0, make([]int, 1))
	wantErr(t, err, event.ErrTimeout)
	nobodyReady(t, s)
	src.add(false, 3)
	wantReady(t, s, a)
}

// Nor may the set sleep while a queue below a threshold waits for more.
func TestAThresholdThatIsNotMetArmsTheSources(t *testing.T) {
	s, a, _ := two(t)
	src := attach(t, a)
	src.add(false, 1, 2)
	for {
		if _, err := s.WaitTimeout(0); err != nil {
			break
		}
		_, _, err := a.WaitTimeout(0, 3)
		wantErr(t, err, event.ErrTimeout)
	}
	src.add(false, 3)
	wantReady(t, s, a)
	if first, more, err := a.WaitTimeout(0, 3); first != 1 || more != 2 || err != nil {
		t.Fatal(first, more, err)
	}
}

// What arrives between the poll that found nothing and the arming is found.
func TestAPollLooksAgainAfterArming(t *testing.T) {
	s, a, _ := two(t)
	src := attach(t, a)
	defer event.SetHook(func(_ any, step string) {
		if step == "rearmed" {
			src.add(false, 7)
		}
	})()
	src.armed = false
	wantPoll(t, a, 7)
	wantReady(t, s, a) // it may have more
}

func TestASetLearnsThatASourceCannotBeArmed(t *testing.T) {
	s, a, _ := two(t)
	src := newSource(a)
	src.armErr = errors.New("unplugged")
	if err := event.ProviderOf(a).Attach(src); err != nil {
		t.Fatal(err)
	}
	wantReady(t, s, a)
	wantPoll(t, a)
	wantErr(t, a.Err(), src.armErr)
	nobodyReady(t, s)
}

func TestASetIsArmedAgainAfterADirectWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a, _ := two(t)
		src := attach(t, a)
		c := waitFor(a, background, 1)
		src.add(false, 1)
		over(t, c)
		nobodyReady(t, s)
		src.add(false, 2)
		wantReady(t, s, a)
	})
}

func TestEnableArmsTheSources(t *testing.T) {
	s, a, _ := two(t)
	src := attach(t, a)
	event.ProviderOf(a).Disable()
	src.add(false, 1)
	nobodyReady(t, s)
	event.ProviderOf(a).Enable()
	wantReady(t, s, a)
	wantPoll(t, a, 1)
	wantPoll(t, a)
	src.add(false, 2)
	wantReady(t, s, a)
}

// A wait looks at what is ready, not at what is registered.
func TestWaitCostsWhatIsReady(t *testing.T) {
	cost := func(members int) uint64 {
		s := event.NewSet()
		defer s.Close()
		var ds []*event.Dispatcher[int]
		for range members {
			d := event.New[int](event.Config{})
			s.Add(d)
			ds = append(ds, d)
		}
		before := s.Visits()
		for i := range 1000 {
			d := ds[i%members]
			d.Post(i)
			wantReady(t, s, d)
			d.Dequeue()
		}
		return s.Visits() - before
	}
	few, many := cost(10), cost(10_000)
	if few != many || few != 1000 {
		t.Fatalf("1000 waits touched %d entries with 10 members, %d with 10000", few, many)
	}
}
