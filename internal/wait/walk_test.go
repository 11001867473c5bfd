package wait_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/wait"
	"github.com/godapl/godapl/internal/wait/interleave"
)

// scene is a consumer, its producers and what they share: items that are
// published one by one and taken `want` at a time.
type scene struct {
	r    *interleave.Run
	cell wait.Cell

	published, taken int
	closed           bool
	want             int

	// The results of the consumer's waits, a part of the state.
	outcomes []wait.Outcome
}

func newScene(r *interleave.Run) *scene {
	s := &scene{r: r, want: 1}
	r.State(func() string {
		return fmt.Sprint(s.published, s.taken, s.closed, &s.cell, s.outcomes)
	})
	r.Release(func() { s.closed = true; s.cell.Arm(); s.cell.Wake() })
	return s
}

func (s *scene) Look() bool {
	if s.closed {
		return true
	}
	if s.published-s.taken < s.want {
		return false
	}
	s.taken += s.want
	return true
}

func (s *scene) Arm() {}

func (s *scene) produce() {
	s.published++
	s.r.Step("wake")
	s.cell.Wake()
}

// consume waits n times.
func (s *scene) consume(n int, o wait.Options) {
	for range n {
		s.outcomes = append(s.outcomes, s.cell.Wait(s, o))
	}
}

// walk runs build with the loop's hook in place, and reports.
func walk(t *testing.T, build func(r *interleave.Run, s *scene)) interleave.Report {
	t.Helper()
	var now *interleave.Run
	defer wait.SetHook(func(_ any, step string) { now.Step(step) })()
	rep := interleave.Walk(t, func(r *interleave.Run) {
		now = r
		build(r, newScene(r))
	})
	t.Log(rep)
	return rep
}

func mustWalk(t *testing.T, atLeast int, build func(r *interleave.Run, s *scene)) {
	t.Helper()
	rep := walk(t, build)
	if rep.Err != nil {
		t.Fatal(rep.Err)
	}
	if rep.Runs < atLeast {
		t.Fatalf("only %d runs: the walk does not reach what it should", rep.Runs)
	}
}

// One consumer and one producer, every order, without reduction.
func TestNoWakeUpIsLost(t *testing.T) {
	mustWalk(t, 20, func(r *interleave.Run, s *scene) {
		r.State(nil)
		r.Go("consumer", func() { s.consume(1, wait.Options{}) })
		r.Go("producer", s.produce)
		r.Check(s.allTaken)
	})
}

func TestNoWakeUpIsLostWithTwoProducers(t *testing.T) {
	mustWalk(t, 100, func(r *interleave.Run, s *scene) {
		r.Go("consumer", func() { s.consume(2, wait.Options{}) })
		r.Go("producer 1", s.produce)
		r.Go("producer 2", s.produce)
		r.Check(s.allTaken)
	})
}

func TestNoWakeUpIsLostOverThreeWaits(t *testing.T) {
	mustWalk(t, 100, func(r *interleave.Run, s *scene) {
		r.Go("consumer", func() { s.consume(3, wait.Options{}) })
		r.Go("producer 1", func() { s.produce(); r.Step("publish"); s.produce() })
		r.Go("producer 2", s.produce)
		r.Check(s.allTaken)
	})
}

func TestNoWakeUpIsLostWithAThreshold(t *testing.T) {
	mustWalk(t, 100, func(r *interleave.Run, s *scene) {
		s.want = 2
		r.State(nil)
		r.Go("consumer", func() { s.consume(1, wait.Options{}) })
		r.Go("producer 1", s.produce)
		r.Go("producer 2", s.produce)
		r.Check(s.allTaken)
	})
}

func TestNoWakeUpIsLostAfterABurst(t *testing.T) {
	mustWalk(t, 20, func(r *interleave.Run, s *scene) {
		r.Go("consumer", func() { s.consume(2, wait.Options{Burst: 2}) })
		r.Go("producer", func() { s.produce(); r.Step("publish"); s.produce() })
		r.Check(s.allTaken)
	})
}

func TestCancelEndsTheWaitAndTakesNothing(t *testing.T) {
	outcomes := make(map[wait.Outcome]int)
	mustWalk(t, 50, func(r *interleave.Run, s *scene) {
		done := make(chan struct{})
		r.State(nil)
		r.Go("consumer", func() { s.consume(1, wait.Options{Done: done}) })
		r.Go("producer", s.produce)
		r.Go("cancel", func() { close(done) })
		r.Check(func() error {
			outcomes[s.outcomes[0]]++
			if took := s.outcomes[0] == wait.Ready; took != (s.taken == 1) {
				return fmt.Errorf("outcome %v, taken %d", s.outcomes[0], s.taken)
			}
			return nil
		})
	})
	if outcomes[wait.Ready] == 0 || outcomes[wait.Done] == 0 {
		t.Fatalf("want orders in which either wins, got %v", outcomes)
	}
}

func TestATimeoutLosesNothingAndTheNextWaitFindsIt(t *testing.T) {
	outcomes := make(map[wait.Outcome]int)
	mustWalk(t, 50, func(r *interleave.Run, s *scene) {
		r.State(nil) // a state would not show whether the timer runs
		r.Clock("clock", time.Second)
		r.Go("consumer", func() {
			s.consume(1, wait.Options{Timeout: time.Second})
			if s.outcomes[0] == wait.Timeout {
				s.consume(1, wait.Options{})
			}
		})
		r.Go("producer", s.produce)
		r.Check(func() error { outcomes[s.outcomes[0]]++; return s.allTaken() })
	})
	if outcomes[wait.Ready] == 0 || outcomes[wait.Timeout] == 0 {
		t.Fatalf("want orders in which either wins, got %v", outcomes)
	}
}

func TestCloseWakes(t *testing.T) {
	mustWalk(t, 50, func(r *interleave.Run, s *scene) {
		r.Go("consumer", func() { s.consume(2, wait.Options{}) })
		r.Go("producer", s.produce)
		r.Go("close", func() { s.closed = true; r.Step("wake"); s.cell.Wake() })
		r.Check(func() error {
			if len(s.outcomes) != 2 || s.taken > s.published {
				return fmt.Errorf("outcomes %v, taken %d of %d", s.outcomes, s.taken, s.published)
			}
			return nil
		})
	})
}

// A source that notifies once per arming, as a completion queue does.
func TestNoNotificationOfASourceIsLost(t *testing.T) {
	mustWalk(t, 50, func(r *interleave.Run, s *scene) {
		armed := false
		src := source{scene: s, arm: func() { armed = true }}
		r.State(func() string {
			return fmt.Sprint(s.published, s.taken, &s.cell, armed, len(s.outcomes))
		})
		r.Go("consumer", func() {
			for range 2 {
				s.outcomes = append(s.outcomes, s.cell.Wait(src, wait.Options{}))
			}
		})
		r.Go("device", func() {
			for range 2 {
				s.published++
				r.Step("notify?")
				if armed {
					armed = false
					r.Step("notify")
					s.cell.Wake()
				}
				r.Step("publish")
			}
		})
		r.Check(s.allTaken)
	})
}

type source struct {
	*scene
	arm func()
}

func (s source) Arm() { s.arm() }

func (s *scene) allTaken() error {
	if s.taken != s.published {
		return fmt.Errorf("taken %d of %d", s.taken, s.published)
	}
	return nil
}

// The walk must find the classic mistakes.
func TestTheWalkFindsLoopsThatAreWrong(t *testing.T) {
	for name, loop := range map[string]func(*scene){
		"no second look": func(s *scene) {
			for {
				s.cell.At("look")
				if s.Look() {
					return
				}
				s.cell.At("arm")
				s.cell.Arm()
				s.cell.At("park")
				s.cell.Park(nil)
			}
		},
		"armed after the second look": func(s *scene) {
			for {
				s.cell.At("look")
				if s.Look() {
					return
				}
				s.cell.At("look again")
				if s.Look() {
					return
				}
				s.cell.At("arm")
				s.cell.Arm()
				s.cell.At("park")
				s.cell.Park(nil)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			rep := walk(t, func(r *interleave.Run, s *scene) {
				r.Go("consumer", func() { loop(s) })
				r.Go("producer", s.produce)
			})
			if rep.Err == nil {
				t.Fatal("the walk passed a loop that loses wake-ups")
			}
		})
	}
	t.Run("wake before publish", func(t *testing.T) {
		rep := walk(t, func(r *interleave.Run, s *scene) {
			r.Go("consumer", func() { s.consume(1, wait.Options{}) })
			r.Go("producer", func() { s.cell.Wake(); r.Step("publish"); s.published++ })
		})
		if rep.Err == nil {
			t.Fatal("the walk passed a producer that wakes too early")
		}
	})
	t.Run("publish twice, counted once", func(t *testing.T) {
		rep := walk(t, func(r *interleave.Run, s *scene) {
			add := func() { n := s.published; r.Step("store"); s.published = n + 1; s.cell.Wake() }
			r.Go("consumer", func() { s.consume(2, wait.Options{}) })
			r.Go("producer 1", add)
			r.Go("producer 2", add)
		})
		if rep.Err == nil {
			t.Fatal(errors.New("the walk passed producers that overwrite each other"))
		}
	})
}
