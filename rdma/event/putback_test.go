package event_test

import (
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/event"
)

// taken polls n events.
func taken(t *testing.T, d *event.Dispatcher[int], n int) []int {
	t.Helper()
	evs := make([]int, n)
	if got := d.Poll(evs); got != n {
		t.Fatalf("polled %d events, want %d", got, n)
	}
	return evs
}

func TestPutBackIsFirstAgain(t *testing.T) {
	d := event.New[int](event.Config{Depth: 8})
	post(t, d, 1, 2, 3, 4)
	evs := taken(t, d, 3)
	post(t, d, 5)
	event.ProviderOf(d).PutBack(evs[1:])
	evs[1] = 99 // it was copied
	if d.Len() != 4 {
		t.Fatalf("%d are queued, want 4", d.Len())
	}
	wantPoll(t, d, 2, 3, 4, 5)
	event.ProviderOf(d).PutBack(nil)
	wantPoll(t, d)
}

func TestPutBackIsBeforeTheSources(t *testing.T) {
	d := event.New[int](event.Config{Depth: 8})
	s := attach(t, d)
	s.add(false, 1, 2, 3)
	evs := taken(t, d, 3)
	s.add(false, 4)
	event.ProviderOf(d).PutBack(evs)
	ev, more, err := d.WaitTimeout(0, 3)
	if ev != 1 || more < 2 || err != nil {
		t.Fatal(ev, more, err)
	}
	wantPoll(t, d, 2, 3, 4)
}

// What is put back counts like everything that is queued.
func TestPutBackCounts(t *testing.T) {
	d := event.New[int](event.Config{Depth: 3})
	post(t, d, 1, 2, 3)
	evs := taken(t, d, 3)
	event.ProviderOf(d).PutBack(evs)
	wantErr(t, d.Post(4), event.ErrQueueFull)
	wantErr(t, d.Resize(2), event.ErrState)
	evs = taken(t, d, 2)
	post(t, d, 4, 5)
	event.ProviderOf(d).PutBack(evs)
	if d.Len() != 5 {
		t.Fatalf("%d are queued, want 5: nothing is lost for lack of room", d.Len())
	}
	wantErr(t, d.Post(6), event.ErrQueueFull)
	wantPoll(t, d, 1, 2, 3, 4, 5)
}

func TestPutBackTellsWhoWatches(t *testing.T) {
	d := event.New[int](event.Config{Depth: 8})
	set := event.NewSet()
	defer set.Close()
	if err := set.Add(d); err != nil {
		t.Fatal(err)
	}
	f := flagged(d)
	post(t, d, 1)
	evs := taken(t, d, 1)
	wantPoll(t, d)
	wantFlag(t, f, false, "empty")
	if _, err := set.WaitTriggerTimeout(0); err == nil {
		t.Fatal("a trigger of nothing")
	}
	event.ProviderOf(d).PutBack(evs)
	wantFlag(t, f, true, "put back")
	if m, err := set.WaitTriggerTimeout(0); m != event.Member(d) || err != nil {
		t.Fatal(m, err)
	}
	wantPoll(t, d, 1)
}

func TestPutBackWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{Depth: 8})
		attach(t, d)
		post(t, d, 1, 2)
		evs := taken(t, d, 2)
		c := waitFor(d, background, 2)
		event.ProviderOf(d).PutBack(evs)
		if r := over(t, c); r.first != 1 || r.more != 1 || r.err != nil {
			t.Fatalf("got %+v", r)
		}
	})
}

func TestPutBackBeforeAChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{Depth: 8})
		post(t, d, 1)
		evs := taken(t, d, 1)
		c := d.C()
		post(t, d, 2, 3)
		synctest.Wait() // both are in the channel
		d.StopChan()
		event.ProviderOf(d).PutBack(evs)
		wantPoll(t, d, 1, 2, 3)
		if ev, ok := <-c; ok {
			t.Fatalf("the channel has %d, too", ev)
		}
	})
}

func TestPutBackAfterClose(t *testing.T) {
	d := event.New[int](event.Config{Depth: 8})
	post(t, d, 1)
	evs := taken(t, d, 1)
	d.Close()
	event.ProviderOf(d).PutBack(evs)
	if d.Len() != 0 {
		t.Fatal("a closed dispatcher keeps what is put back")
	}
}
