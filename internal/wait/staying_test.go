package wait_test

import (
	"fmt"
	"testing"

	"github.com/godapl/godapl/internal/wait"
	"github.com/godapl/godapl/internal/wait/interleave"
)

// forwarder is a Waitable for a wait that stays: it handles what it finds, and ends when it has handled `until` items.
type forwarder struct {
	*scene
	until int
}

func (f forwarder) Look() bool {
	f.taken = f.published
	return f.closed || f.taken >= f.until
}

// forward is a wait that stays at b until all items are handled.
func (s *scene) forward(until int, b wait.Parker, done chan struct{}) {
	s.outcomes = append(s.outcomes, s.cell.Wait(forwarder{s, until}, wait.Options{Stay: true, Parker: b, Done: done}))
}

// TestNothingIsLostWhileASleeperStays: arrivals and producers, with one wait.
func TestNothingIsLostWhileASleeperStays(t *testing.T) {
	mustWalk(t, 100, func(r *interleave.Run, s *scene) {
		k, b := parked(s)
		r.Go("consumer", func() { s.forward(3, b, nil) })
		r.Go("producer", s.produce)
		r.Go("peer", func() { k.arrive(); r.Step("arrive"); k.arrive() })
		r.Check(s.allTaken)
	})
}

// TestCloseWakesASleeperThatStays: nothing else arrives.
func TestCloseWakesASleeperThatStays(t *testing.T) {
	mustWalk(t, 20, func(r *interleave.Run, s *scene) {
		k, b := parked(s)
		r.Go("consumer", func() { s.forward(9, b, nil) })
		r.Go("close", func() { s.closed = true; r.Step("wake"); s.cell.Wake() })
		r.Go("peer", k.arrive)
	})
}

// TestDoneEndsAStay: who closes the channel wakes the cell.
func TestDoneEndsAStay(t *testing.T) {
	mustWalk(t, 20, func(r *interleave.Run, s *scene) {
		k, b := parked(s)
		r.State(nil)
		done := make(chan struct{})
		r.Go("consumer", func() { s.forward(9, b, done) })
		r.Go("stop", func() { close(done); r.Step("wake"); s.cell.Wake() })
		r.Go("peer", k.arrive)
		r.Check(func() error {
			if s.outcomes[0] != wait.Done {
				return fmt.Errorf("outcome %v", s.outcomes[0])
			}
			return nil
		})
	})
}

// sometimes is a parker at which nobody can park while it is shared.
type sometimes struct {
	*wait.DescriptorParker
	shared *bool
}

func (p sometimes) AcquirePark() bool { return !*p.shared && p.DescriptorParker.AcquirePark() }

func (p sometimes) Park(again func() bool) bool {
	return p.DescriptorParker.Park(func() bool { return again() || *p.shared }) && !*p.shared
}

// TestASleeperLeavesAndReturns: the parker is shared for a while, in which producers wake the sleeper.
func TestASleeperLeavesAndReturns(t *testing.T) {
	mustWalk(t, 100, func(r *interleave.Run, s *scene) {
		k, b := parked(s)
		shared := false
		r.State(func() string {
			return fmt.Sprint(shared, s.published, s.taken, s.closed, &s.cell, s.outcomes, k.input, len(k.edge), k.past, k.closed, b)
		})
		r.Go("consumer", func() { s.forward(3, sometimes{b, &shared}, nil) })
		r.Go("others", func() {
			shared = true
			r.Step("shared")
			s.produce()
			r.Step("no more")
			shared = false
			s.produce()
		})
		r.Go("peer", func() { k.arrive(); r.Step("read for the others"); k.read() })
		r.Check(s.allTaken)
	})
}

// The walk must find a parker that sleeps on after a kick.
func TestTheWalkFindsAStayThatIsWrong(t *testing.T) {
	rep := walk(t, func(r *interleave.Run, s *scene) {
		_, b := parked(s)
		r.Go("consumer", func() { s.forward(2, sightless{b}, nil) })
		r.Go("producer", func() { s.produce(); r.Step("publish"); s.produce() })
	})
	if rep.Err == nil {
		t.Fatal("the walk did not find it")
	}
}

// sightless does not look again after a kick.
type sightless struct{ *wait.DescriptorParker }

func (p sightless) Park(func() bool) bool {
	return p.DescriptorParker.Park(func() bool { return false })
}
