package wait_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/wait"
	"github.com/godapl/godapl/internal/wait/interleave"
)

// socket imitates a descriptor in Go's poller. Its input is found only by reading it.
type socket struct {
	s      *scene
	input  int
	edge   chan struct{} // there was an arrival or an interruption
	past   bool          // the deadline has passed
	closed bool
}

var errGone = errors.New("closed")

func (k *socket) Await(look func() bool) error {
	select {
	case <-k.edge: // the look below finds what caused it
	default:
	}
	for {
		switch {
		case k.closed:
			return errGone
		case k.past:
			return wait.ErrInterrupted
		}
		if look() {
			return nil
		}
		k.s.r.Step("sleep")
		if !k.past && !k.closed {
			<-k.edge
		}
	}
}

func (k *socket) Interrupt() { k.past = true; k.signal() }
func (k *socket) Clear()     { k.past = false }

func (k *socket) signal() {
	select {
	case k.edge <- struct{}{}:
	default:
	}
}

// arrive is the peer's send.
func (k *socket) arrive() {
	k.input++
	k.signal()
}

// read turns the input into published entries.
func (k *socket) read() {
	if k.input > 0 {
		k.s.published += k.input
		k.input = 0
		k.s.r.Step("wake")
		k.s.cell.Wake()
	}
}

// parked is a scene whose consumer parks at a socket.
func parked(s *scene) (*socket, *wait.DescriptorParker) {
	k := &socket{s: s, edge: make(chan struct{}, 1)}
	b := &wait.DescriptorParker{}
	b.Init(k, k.read)
	s.r.State(func() string {
		return fmt.Sprint(s.published, s.taken, s.closed, &s.cell, s.outcomes, k.input, len(k.edge), k.past, k.closed, b)
	})
	s.r.Release(func() { s.closed = true; k.closed = true; k.signal(); s.cell.Arm(); s.cell.Wake() })
	return k, b
}

// TestNoArrivalIsLost: the descriptor alone wakes the consumer.
func TestNoArrivalIsLost(t *testing.T) {
	mustWalk(t, 20, func(r *interleave.Run, s *scene) {
		k, b := parked(s)
		r.Go("consumer", func() { s.consume(2, wait.Options{Parker: b}) })
		r.Go("peer", func() { k.arrive(); r.Step("arrive"); k.arrive() })
		r.Check(s.allTaken)
	})
}

// TestNoKickOfAParkedConsumerIsLost: a producer publishes while bytes arrive.
func TestNoKickOfAParkedConsumerIsLost(t *testing.T) {
	mustWalk(t, 100, func(r *interleave.Run, s *scene) {
		k, b := parked(s)
		r.Go("consumer", func() { s.consume(2, wait.Options{Parker: b}) })
		r.Go("producer", s.produce)
		r.Go("peer", k.arrive)
		r.Check(s.allTaken)
	})
}

// TestALateKickIsHarmless: a producer kicks after the wait has ended and the next has begun.
func TestALateKickIsHarmless(t *testing.T) {
	mustWalk(t, 100, func(r *interleave.Run, s *scene) {
		_, b := parked(s)
		r.Go("consumer", func() { s.consume(2, wait.Options{Parker: b}) })
		r.Go("producer", func() { s.produce(); r.Step("publish"); s.produce() })
		r.Check(s.allTaken)
	})
}

// TestNothingIsLostFromPollingToWaiting: a consumer that polls reads the descriptor itself, and then waits.
func TestNothingIsLostFromPollingToWaiting(t *testing.T) {
	mustWalk(t, 20, func(r *interleave.Run, s *scene) {
		k, b := parked(s)
		r.State(nil)
		r.Go("consumer", func() {
			polled := 0
			for range 2 {
				r.Step("poll")
				k.read()
				if s.Look() {
					polled++
				}
			}
			s.consume(2-polled, wait.Options{Parker: b})
		})
		r.Go("peer", func() { k.arrive(); r.Step("arrive"); k.arrive() })
		r.Check(s.allTaken)
	})
}

func TestCloseWakesAParkedConsumer(t *testing.T) {
	mustWalk(t, 20, func(r *interleave.Run, s *scene) {
		k, b := parked(s)
		r.Go("consumer", func() { s.consume(1, wait.Options{Parker: b}) })
		r.Go("close", func() { s.closed = true; r.Step("wake"); s.cell.Wake() })
		r.Go("peer", k.arrive)
	})
}

// TestAClosedDescriptorIsLeft: the sleeper continues on its token.
func TestAClosedDescriptorIsLeft(t *testing.T) {
	mustWalk(t, 20, func(r *interleave.Run, s *scene) {
		k, b := parked(s)
		r.Go("consumer", func() { s.consume(1, wait.Options{Parker: b}) })
		r.Go("close", func() { k.closed = true; k.signal() })
		r.Go("producer", s.produce)
		r.Check(s.allTaken)
	})
}

func TestCancelEndsAParkedWait(t *testing.T) {
	outcomes := make(map[wait.Outcome]int)
	mustWalk(t, 20, func(r *interleave.Run, s *scene) {
		k, b := parked(s)
		r.State(nil) // the state of a context cannot be printed
		ctx, cancel := context.WithCancel(context.Background())
		r.Go("consumer", func() { s.consume(1, wait.Options{Context: ctx, Parker: b}) })
		r.Go("peer", k.arrive)
		r.Go("cancel", cancel)
		r.Check(func() error {
			outcomes[s.outcomes[0]]++
			if took := s.outcomes[0] == wait.Ready; took != (s.taken == 1) {
				return fmt.Errorf("outcome %v, taken %d", s.outcomes[0], s.taken)
			}
			return nil
		})
		r.Finally(cancel)
	})
	if outcomes[wait.Ready] == 0 || outcomes[wait.Done] == 0 {
		t.Fatalf("want orders in which either wins, got %v", outcomes)
	}
}

// TestTheEndOfAContextWakesAParkedConsumer: no other event occurs.
func TestTheEndOfAContextWakesAParkedConsumer(t *testing.T) {
	mustWalk(t, 5, func(r *interleave.Run, s *scene) {
		_, b := parked(s)
		ctx, cancel := context.WithCancel(context.Background())
		r.State(nil)
		r.Go("consumer", func() { s.consume(2, wait.Options{Context: ctx, Parker: b}) })
		r.Go("cancel", cancel)
		r.Check(func() error {
			if s.outcomes[0] != wait.Done || s.outcomes[1] != wait.Done {
				return fmt.Errorf("outcomes %v", s.outcomes)
			}
			return nil
		})
		r.Finally(cancel)
	})
}

func TestATimeoutEndsAParkedWait(t *testing.T) {
	outcomes := make(map[wait.Outcome]int)
	mustWalk(t, 20, func(r *interleave.Run, s *scene) {
		k, b := parked(s)
		r.State(nil) // a state would not show whether the timer runs
		r.Clock("clock", time.Second)
		r.Go("consumer", func() {
			s.consume(1, wait.Options{Timeout: time.Second, Parker: b})
			if s.outcomes[0] == wait.Timeout {
				s.consume(1, wait.Options{Parker: b})
			}
		})
		r.Go("peer", k.arrive)
		r.Check(func() error { outcomes[s.outcomes[0]]++; return s.allTaken() })
	})
	if outcomes[wait.Ready] == 0 || outcomes[wait.Timeout] == 0 {
		t.Fatalf("want orders in which either wins, got %v", outcomes)
	}
}

// TestATimeLimitGoesOnWhenAParkerIsLeft: the limit is for the whole wait.
func TestATimeLimitGoesOnWhenAParkerIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c wait.Cell
		begun := time.Now()
		out := c.Wait(never{}, wait.Options{Timeout: 10 * time.Second, Parker: &leaving{after: 9 * time.Second}})
		if took := time.Since(begun); out != wait.Timeout || took != 10*time.Second {
			t.Errorf("outcome %v after %v", out, took)
		}
	})
}

// leaving is a parker that can be used for some time only.
type leaving struct {
	after time.Duration
	kick  func()
}

func (p *leaving) AcquirePark() bool     { p.kick = func() {}; return true }
func (p *leaving) Park(func() bool) bool { <-time.After(p.after); return false }
func (p *leaving) Kicker() *func()       { return &p.kick }
func (p *leaving) ReleasePark()          {}

// never is a Waitable whose Look never returns true.
type never struct{}

func (never) Look() bool { return false }
func (never) Arm()       {}

// The walk must find parkers that are wrong.
func TestTheWalkFindsParkersThatAreWrong(t *testing.T) {
	t.Run("no look before it sleeps", func(t *testing.T) {
		rep := walk(t, func(r *interleave.Run, s *scene) {
			k, b := parked(s)
			r.State(nil)
			first := true
			b.Init(k, func() {
				if !first {
					k.read()
				}
				first = false
			})
			r.Go("consumer", func() { s.consume(1, wait.Options{Parker: b}) })
			r.Go("peer", k.arrive)
		})
		if rep.Err == nil {
			t.Fatal("the walk did not find it")
		}
	})
	t.Run("deaf to kicks", func(t *testing.T) {
		rep := walk(t, func(r *interleave.Run, s *scene) {
			_, b := parked(s)
			r.Go("consumer", func() { s.consume(1, wait.Options{Parker: deaf{b}}) })
			r.Go("producer", s.produce)
		})
		if rep.Err == nil {
			t.Fatal("the walk did not find it")
		}
	})
}

// deaf is a parker whose kicks do nothing.
type deaf struct{ *wait.DescriptorParker }

func (deaf) Kicker() *func() { f := func() {}; return &f }
