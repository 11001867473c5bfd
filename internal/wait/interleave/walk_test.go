package interleave_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/wait/interleave"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Two goroutines of m and n steps have (m+n)! / (m! n!) orders.
func TestWalkMakesEveryOrderOnce(t *testing.T) {
	orders := make(map[string]int)
	rep := interleave.Walk(t, func(r *interleave.Run) {
		var order string
		steps := func(name string, n int) func() {
			return func() {
				for i := range n {
					if i > 0 { // the start is a step
						r.Step(fmt.Sprint(i))
					}
					order += name
				}
			}
		}
		r.Go("a", steps("a", 3))
		r.Go("b", steps("b", 2))
		r.Check(func() error { orders[order]++; return nil })
	})
	if rep.Err != nil || rep.Runs != 10 || len(orders) != 10 {
		t.Fatalf("%v, %d orders, want 10: %v", rep, len(orders), orders)
	}
}

func TestWalkFindsALostUpdate(t *testing.T) {
	rep := interleave.Walk(t, func(r *interleave.Run) {
		n := 0
		add := func() {
			old := n
			r.Step("store")
			n = old + 1
		}
		r.Go("a", add)
		r.Go("b", add)
		r.Check(func() error {
			if n != 2 {
				return errors.New("an update was lost")
			}
			return nil
		})
	})
	if rep.Err == nil || !strings.Contains(rep.Err.Error(), "a: store") {
		t.Fatalf("want a failure that shows its steps, got %v", rep.Err)
	}
}

func TestWalkSeesWhoIsParked(t *testing.T) {
	build := func(wakes int) func(*interleave.Run) {
		return func(r *interleave.Run) {
			c := make(chan int)
			r.Go("sleeper", func() { <-c })
			r.Go("waker", func() {
				for range wakes {
					select {
					case c <- 1:
					default: // not parked yet: the wake-up is lost
					}
				}
			})
			r.Release(func() { close(c) })
		}
	}
	if rep := interleave.Walk(t, build(1)); rep.Err == nil || !strings.Contains(rep.Err.Error(), "sleeper") {
		t.Fatalf("want the sleeper to be found parked, got %v", rep.Err)
	}
}

func TestWalkTurnsBackAtKnownStates(t *testing.T) {
	begun, ended := 0, 0
	build := func(prune bool) func(*interleave.Run) {
		return func(r *interleave.Run) {
			n := 0
			begun++
			r.Finally(func() { ended++ })
			count := func() {
				for range 4 {
					r.Step("count")
					n++
				}
			}
			r.Go("a", count)
			r.Go("b", count)
			a := 0
			r.Go("c", func() { a = n; r.Step("end") })
			if prune {
				r.State(func() string { return fmt.Sprint(n, a) })
			}
		}
	}
	full, pruned := interleave.Walk(t, build(false)), interleave.Walk(t, build(true))
	if full.Err != nil || pruned.Err != nil || pruned.Runs*10 > full.Runs {
		t.Fatalf("full: %v, pruned: %v", full, pruned)
	}
	if begun != full.Runs+pruned.Runs || ended != begun {
		t.Fatalf("%d of %d runs came to their end", ended, begun)
	}
}

func TestWalkLetsTimePass(t *testing.T) {
	early, late := false, false
	rep := interleave.Walk(t, func(r *interleave.Run) {
		r.Clock("clock", time.Second)
		r.Go("sleeper", func() {
			timeout := time.After(time.Second)
			r.Step("look")
			select {
			case <-timeout:
				late = true
			default:
				early = true
				<-timeout
			}
		})
		r.Idle(func() error { return nil }) // time passed before the timer was set
	})
	if rep.Err != nil || !early || !late {
		t.Fatalf("%v, early %v, late %v", rep, early, late)
	}
}
