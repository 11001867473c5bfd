package wait_test

import (
	"fmt"
	"testing"

	"github.com/godapl/godapl/internal/wait"
	"github.com/godapl/godapl/internal/wait/interleave"
)

// consumeExternal waits n times, as a sleeper outside of the package does.
func (s *scene) consumeExternal(n int) {
	kicks := make(chan struct{}, 1)
	kick := func() {
		select {
		case kicks <- struct{}{}:
		default:
		}
	}
	for range n {
		ready := s.cell.Begin(s, wait.Options{}, &kick)
		for !ready {
			s.r.Step("park")
			<-kicks
			ready = s.cell.Again(s)
		}
		s.cell.End()
		s.outcomes = append(s.outcomes, wait.Ready)
	}
}

func TestNoKickIsLost(t *testing.T) {
	mustWalk(t, 20, func(r *interleave.Run, s *scene) {
		r.State(nil)
		r.Go("consumer", func() { s.consumeExternal(1) })
		r.Go("producer", s.produce)
		r.Check(s.allTaken)
	})
}

func TestNoKickIsLostOverTwoWaits(t *testing.T) {
	mustWalk(t, 100, func(r *interleave.Run, s *scene) {
		r.State(nil)
		r.Go("consumer", func() { s.consumeExternal(2) })
		r.Go("producer", func() { s.produce(); r.Step("publish"); s.produce() })
		r.Check(s.allTaken)
	})
}

// A sleeper on the token follows an external sleeper, and the other way round.
func TestSleepersTakeTurns(t *testing.T) {
	for _, outsideFirst := range []bool{true, false} {
		t.Run(fmt.Sprint(outsideFirst), func(t *testing.T) {
			mustWalk(t, 100, func(r *interleave.Run, s *scene) {
				r.State(nil)
				r.Go("consumer", func() {
					if outsideFirst {
						s.consumeExternal(1)
						s.consume(1, wait.Options{})
					} else {
						s.consume(1, wait.Options{})
						s.consumeExternal(1)
					}
				})
				r.Go("producer", func() { s.produce(); r.Step("publish"); s.produce() })
				r.Check(s.allTaken)
			})
		})
	}
}

// A consumer that does not look after arming loses wake-ups, and the walk finds it.
func TestTheWalkFindsALostKick(t *testing.T) {
	rep := walk(t, func(r *interleave.Run, s *scene) {
		kicks := make(chan struct{}, 1)
		kick := func() { kicks <- struct{}{} }
		r.State(nil)
		r.Go("consumer", func() {
			if !s.cell.Begin(blind{s}, wait.Options{}, &kick) {
				<-kicks
				s.cell.Again(s)
			}
		})
		r.Go("producer", s.produce)
		r.Check(s.allTaken)
	})
	if rep.Err == nil {
		t.Fatal("the walk did not find it")
	}
}

// blind finds nothing after it has armed.
type blind struct{ s *scene }

func (b blind) Look() bool { return false }
func (b blind) Arm()       {}
