package event_test

import (
	"slices"
	"testing"

	"github.com/godapl/godapl/rdma/event"
)

// outsideSource is a source with a descriptor. What arrives while a thread watches that is told to nobody else.
type outsideSource struct {
	*source
	fd       int32
	watched  bool
	disarmed []bool // what alone was
}

func (s *outsideSource) ArmDescriptors(fds []int32) ([]int32, error) {
	s.watched = true
	return append(fds, s.fd), s.Arm()
}

func (s *outsideSource) DisarmDescriptors(alone bool) {
	s.watched = false
	s.disarmed = append(s.disarmed, alone)
}

// silent adds events that only the descriptor tells of.
func (s *outsideSource) silent(evs ...int) {
	s.mu.Lock()
	s.armed = false
	s.mu.Unlock()
	s.add(false, evs...)
}

func newOutside(t *testing.T, name string, fd int32) (*event.Dispatcher[int], *outsideSource) {
	d := event.New[int](event.Config{Name: name})
	s := &outsideSource{source: newSource(d), fd: fd}
	if err := event.ProviderOf(d).Attach(s); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d, s
}

// begin begins a wait that must sleep, and returns its descriptors in order.
func begin(t *testing.T, s *event.SetSleeper, set *event.Set) []int32 {
	t.Helper()
	if _, asleep, err := s.Begin(set, true); !asleep || err != nil {
		t.Fatal(asleep, err)
	}
	return slices.Sorted(slices.Values(s.Descriptors()))
}

func wantAgain(t *testing.T, s *event.SetSleeper, want event.Member) {
	t.Helper()
	m, asleep, err := s.Again(false)
	if want == nil && !asleep || want != nil && (m != want || asleep || err != nil) {
		t.Fatalf("got %v, asleep %v, %v", m, asleep, err)
	}
}

// TestSetSleeperWatchesItsMembers: it finds what only a descriptor tells of, and leaves every member armed that the
// program does not have to poll.
func TestSetSleeperWatchesItsMembers(t *testing.T) {
	a, x := newOutside(t, "a", 11)
	b, y := newOutside(t, "b", 12)
	set := newSet(t, a, b)
	s := event.NewSetSleeper(func() { t.Error("kicked") })
	if got := begin(t, s, set); !slices.Equal(got, []int32{11, 12}) {
		t.Fatalf("descriptors %v", got)
	}
	wantAgain(t, s, nil)
	y.silent(1)
	wantAgain(t, s, b)
	if x.watched || y.watched || !slices.Equal(x.disarmed, []bool{true}) || !slices.Equal(y.disarmed, []bool{true}) {
		t.Errorf("not given back: %v, %v", x, y)
	}
	if !x.armed {
		t.Error("the member that is not ready is not armed")
	}
	wantPoll(t, b, 1)
	wantPoll(t, b)
	if !y.armed {
		t.Error("the member that was polled is not armed")
	}
	x.add(false, 2) // while nobody sleeps
	if m, asleep, err := s.Begin(set, true); m != a || asleep || err != nil {
		t.Fatal(m, asleep, err)
	}
}

// TestOneSleeperHasTheDescriptors: others are kicked.
func TestOneSleeperHasTheDescriptors(t *testing.T) {
	d, x := newOutside(t, "d", 11)
	set := newSet(t, d)
	kicks := 0
	first, second := event.NewSetSleeper(func() {}), event.NewSetSleeper(func() { kicks++ })
	direct := event.NewSleeper[int](func() { kicks++ })
	begin(t, first, set)
	if got := begin(t, second, set); len(got) != 0 {
		t.Fatalf("descriptors %v", got)
	}
	x.silent(1)
	wantAgain(t, first, d)
	if !slices.Equal(x.disarmed, []bool{false}) {
		t.Errorf("disarmed, alone: %v; the other sleeps on", x.disarmed)
	}
	wantPoll(t, d, 1)
	wantPoll(t, d)
	x.add(false, 2)
	if kicks != 1 {
		t.Fatalf("%d kicks", kicks)
	}
	wantAgain(t, second, d)
	wantPoll(t, d, 2)
	wantPoll(t, d)

	begin(t, first, set)
	var ev int
	if _, asleep, err := direct.Begin(d, &ev, 1, true); !asleep || err != nil || len(direct.Descriptors()) != 0 {
		t.Fatal(asleep, err, direct.Descriptors())
	}
	x.silent(3)
	wantAgain(t, first, nil) // moves it to the queue
	if more, asleep, err := direct.Again(&ev, false); ev != 3 || more != 0 || asleep || err != nil {
		t.Fatal(ev, more, asleep, err)
	}
	if _, asleep, _ := first.Again(true); asleep {
		t.Fatal("asleep after the last call")
	}
	if _, asleep, err := direct.Begin(d, &ev, 1, true); !asleep || err != nil || len(direct.Descriptors()) != 1 {
		t.Fatal("the descriptors were not given back", asleep, err)
	}
	_, _, _ = direct.Again(&ev, true)
	if begin(t, second, set); len(second.Descriptors()) != 1 {
		t.Fatal("the descriptors were not given back")
	}
	_, _, _ = second.Again(true)
}

// TestASleeperOfAChangingSet gives back the descriptors of members that have left, and has none of a large set.
func TestASleeperOfAChangingSet(t *testing.T) {
	a, x := newOutside(t, "a", 11)
	b, y := newOutside(t, "b", 12)
	set := newSet(t, a, b)
	s := event.NewSetSleeper(func() {})
	begin(t, s, set)
	if err := set.Remove(b); err != nil {
		t.Fatal(err)
	}
	wantAgain(t, s, nil)
	if !x.watched || y.watched || !slices.Equal(s.Descriptors(), []int32{11}) {
		t.Fatalf("watched %v and %v, %v", x.watched, y.watched, s.Descriptors())
	}
	for i := range int32(8) {
		d, _ := newOutside(t, "more", 20+i)
		if err := set.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	wantAgain(t, s, nil)
	if x.watched || len(s.Descriptors()) != 0 {
		t.Fatal("descriptors of a large set")
	}
	_, _, _ = s.Again(true)
}

func TestSetSleeperAllocatesNothing(t *testing.T) {
	d, x := newOutside(t, "d", 11)
	set := newSet(t, d)
	s := event.NewSetSleeper(func() {})
	var buf [4]int
	evs, wakes := []int{1}, []bool{true}
	if n := testing.AllocsPerRun(100, func() {
		_, _, _ = s.Begin(set, true)
		x.evs, x.wakes = evs, wakes
		_, _, _ = s.Again(false)
		for d.Poll(buf[:]) > 0 {
		}
		x.disarmed = x.disarmed[:0]
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestADirectWaitTakesTheDescriptorBack: somebody waits for a member itself, while a thread watches the member's descriptor.
// When the thread sleeps on without it, the source must know that nobody watches.
func TestADirectWaitTakesTheDescriptorBack(t *testing.T) {
	d, x := newOutside(t, "d", 11)
	set := newSet(t, d)
	thread := event.NewSetSleeper(func() {})
	direct := event.NewSleeper[int](func() {})
	begin(t, thread, set)
	var ev int
	if _, asleep, err := direct.Begin(d, &ev, 1, true); !asleep || err != nil {
		t.Fatal(asleep, err)
	}
	x.silent(3)
	wantAgain(t, thread, nil) // its descriptor has woken it, and the event is the other's
	if x.watched && len(thread.Descriptors()) == 0 {
		t.Error("the source leaves its input to a thread that does not watch it")
	}
	if more, asleep, err := direct.Again(&ev, false); ev != 3 || more != 0 || asleep || err != nil {
		t.Fatal(ev, more, asleep, err)
	}
	if x.watched && len(thread.Descriptors()) == 0 {
		t.Error("nor does it behind the direct wait")
	}
}
