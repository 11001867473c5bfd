package event_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/godapl/godapl/internal/wait/interleave"
	"github.com/godapl/godapl/rdma/event"
)

// The walks run the shipped dispatchers and sets in every order of the steps
// that their hook marks; the steps of the wait loop below have walks of their
// own.

func walk(t *testing.T, atLeast int, build func(r *interleave.Run)) {
	t.Helper()
	var now *interleave.Run
	defer event.SetHook(func(_ any, step string) {
		if step == "look" || step == "arm" {
			looks += step[:1]
		}
		now.Step(step)
	})()
	rep := interleave.Walk(t, func(r *interleave.Run) {
		now, looks = r, ""
		build(r)
	})
	t.Log(rep)
	if rep.Err != nil {
		t.Fatal(rep.Err)
	}
	if rep.Runs < atLeast {
		t.Fatalf("only %d runs: the walk does not reach what it should", rep.Runs)
	}
}

// looks is what the one consumer of a walk has done: a look before the arming
// and one after it are different places, though the step is the same.
var looks string

// device is a source whose arrivals have steps. Only one goroutine at a time
// runs in a walk, so it needs no lock.
type device struct {
	r     *interleave.Run
	d     *event.Dispatcher[int]
	evs   []int
	armed bool
	slow  bool // a drain is a step of its own
}

func newDevice(r *interleave.Run, d *event.Dispatcher[int]) *device {
	dev := &device{r: r, d: d}
	event.ProviderOf(d).Attach(dev)
	return dev
}

func (dev *device) Drain(dst []int) (int, bool) {
	if dev.slow {
		dev.r.Step("drain")
	}
	n := copy(dst, dev.evs)
	dev.evs = dev.evs[n:]
	return n, n > 0
}

func (dev *device) Arm() error {
	dev.armed = true
	return nil
}

func (dev *device) arrive(evs ...int) {
	for _, ev := range evs {
		dev.evs = append(dev.evs, ev)
		dev.r.Step("notify?")
		if dev.armed {
			dev.armed = false
			dev.r.Step("notify")
			event.ProviderOf(dev.d).Wake()
		}
		dev.r.Step("next")
	}
}

// state lets a walk recognise where it has been.
func (dev *device) state(got *[]int) func() string {
	return func() string { return fmt.Sprint(dev.evs, dev.armed, *got, looks, dev.d.Peek()) }
}

// wanted checks that got is want, in any order or in that one.
func wanted(got *[]int, ordered bool, want ...int) func() error {
	return func() error {
		g := slices.Clone(*got)
		if !ordered {
			slices.Sort(g)
		}
		if !slices.Equal(g, want) {
			return fmt.Errorf("got %v, want %v", *got, want)
		}
		return nil
	}
}

func TestWalkAWaitOnASource(t *testing.T) {
	walk(t, 50, func(r *interleave.Run) {
		d := event.New[int](event.Config{Burst: -1})
		dev := newDevice(r, d)
		var got []int
		r.Go("consumer", func() {
			for range 2 {
				ev, _, err := d.Wait(background, 1)
				if err != nil {
					return
				}
				got = append(got, ev)
			}
		})
		r.Go("device", func() { dev.arrive(1, 2) })
		r.State(dev.state(&got))
		r.Release(func() { d.Close() })
		r.Check(wanted(&got, true, 1, 2))
	})
}

func TestWalkAThresholdOverASourceAndAProducer(t *testing.T) {
	walk(t, 50, func(r *interleave.Run) {
		d := event.New[int](event.Config{Burst: -1})
		dev := newDevice(r, d)
		var got []int
		r.Go("consumer", func() {
			ev, more, err := d.Wait(background, 3)
			if err != nil {
				return
			}
			got = append(got, ev)
			buf := make([]int, 4)
			if n := d.Poll(buf); n == more {
				got = append(got, buf[:n]...)
			}
		})
		r.Go("device", func() { dev.arrive(1) })
		r.Go("producer", func() {
			quiet := 2
			event.ProviderOf(d).Put(&quiet, true)
			r.Step("put")
			d.Post(3)
		})
		r.State(dev.state(&got))
		r.Release(func() { d.Close() })
		r.Check(wanted(&got, false, 1, 2, 3))
	})
}

func TestWalkCloseAndCancel(t *testing.T) {
	ends := make(map[string]int)
	walk(t, 50, func(r *interleave.Run) {
		d := event.New[int](event.Config{Burst: -1})
		ctx, cancel := context.WithCancel(background)
		end := ""
		r.Go("consumer", func() {
			_, _, err := d.Wait(ctx, 1)
			switch {
			case err == nil:
				end = "event"
			case errors.Is(err, event.ErrClosed):
				end = "closed"
			case errors.Is(err, event.ErrCanceled):
				end = "canceled"
			}
		})
		r.Go("producer", func() { d.Post(1) })
		r.Go("cancel", cancel)
		r.Go("close", func() { d.Close() })
		r.Check(func() error {
			ends[end]++
			if end == "" {
				return errors.New("the wait ended in no known way")
			}
			return nil
		})
	})
	if len(ends) != 3 {
		t.Fatalf("want orders for every end, got %v", ends)
	}
}

func TestWalkSetWaitable(t *testing.T) {
	walk(t, 5, func(r *interleave.Run) {
		d := event.New[int](event.Config{})
		var err error
		r.Go("consumer", func() { _, _, err = d.Wait(background, 1) })
		r.Go("other", func() { event.ProviderOf(d).SetWaitable(false) })
		r.Release(func() { d.Close() })
		r.Check(func() error {
			if !errors.Is(err, event.ErrState) {
				return fmt.Errorf("the wait ended with %v", err)
			}
			return nil
		})
	})
}

// A consumer that waits on a set and drains what is ready misses nothing, by
// whichever way it drains.
func TestWalkASetOverASource(t *testing.T) {
	for name, take := range map[string]func(d *event.Dispatcher[int]) []int{
		"Dequeue to the end": func(d *event.Dispatcher[int]) (got []int) {
			for {
				ev, err := d.Dequeue()
				if err != nil {
					return got
				}
				got = append(got, ev)
			}
		},
		"Poll to the end": func(d *event.Dispatcher[int]) (got []int) {
			buf := make([]int, 8)
			for n := d.Poll(buf); n > 0; n = d.Poll(buf) {
				got = append(got, buf[:n]...)
			}
			return got
		},
		"one Poll of one": func(d *event.Dispatcher[int]) (got []int) {
			buf := make([]int, 1)
			return buf[:d.Poll(buf)]
		},
	} {
		t.Run(name, func(t *testing.T) {
			walk(t, 50, func(r *interleave.Run) {
				d := event.New[int](event.Config{})
				s := event.NewSet()
				s.Add(d)
				dev := newDevice(r, d)
				var got []int
				r.Go("consumer", func() {
					for len(got) < 2 {
						if _, err := s.Wait(background); err != nil {
							return
						}
						got = append(got, take(d)...)
					}
				})
				r.Go("device", func() { dev.arrive(1, 2) })
				r.Release(func() { s.Close() })
				r.Check(wanted(&got, true, 1, 2))
			})
		})
	}
}

// A late consumer takes the event that another was woken for; the other sleeps again and must
// be woken again.
func TestWalkASetWithAnOvertaker(t *testing.T) {
	walk(t, 100, func(r *interleave.Run) {
		s := event.NewSet()
		a, b := event.New[int](event.Config{}), event.New[int](event.Config{})
		s.Add(a, b)
		var got []int
		waiter := func() {
			if m, err := s.Wait(background); err == nil {
				ev, _ := m.(*event.Dispatcher[int]).Dequeue()
				got = append(got, ev)
			}
		}
		r.Go("1", waiter)
		r.Go("2", waiter)
		r.Go("producer", func() { a.Post(1); r.Step("post"); b.Post(2) })
		r.Release(func() { s.Close() })
		r.Check(wanted(&got, false, 1, 2))
	})
}

// Two waiters, two dispatchers that become ready, and one of the waiters gives up.
func TestWalkASetWithTwoWaiters(t *testing.T) {
	walk(t, 100, func(r *interleave.Run) {
		s := event.NewSet()
		ctx, cancel := context.WithCancel(background)
		a, b := event.New[int](event.Config{}), event.New[int](event.Config{})
		s.Add(a, b)
		var got []int
		waiter := func(ctx context.Context, n int) func() {
			return func() {
				for range n {
					m, err := s.Wait(ctx)
					if err != nil {
						return
					}
					ev, err := m.(*event.Dispatcher[int]).Dequeue()
					if err == nil {
						got = append(got, ev)
					}
				}
			}
		}
		r.Go("gives up", waiter(ctx, 1))
		r.Go("patient", waiter(background, 1))
		r.Go("producer", func() { a.Post(1); b.Post(2) })
		r.Go("cancel", cancel)
		// The patient one may sleep only if the other has taken both, which it
		// cannot.
		r.Release(func() { s.Close() })
		r.Check(func() error {
			if m, err := s.WaitTimeout(0); err == nil {
				ev, _ := m.(*event.Dispatcher[int]).Dequeue()
				got = append(got, ev)
			}
			return wanted(&got, false, 1, 2)()
		})
	})
}

// A goroutine that drains does the work that another one must not wait for.
func TestWalkPutAfterSources(t *testing.T) {
	const last = 9
	walk(t, 20, func(r *interleave.Run) {
		d := event.New[int](event.Config{Burst: -1})
		dev := newDevice(r, d)
		dev.slow = true
		var got []int
		r.Go("consumer", func() {
			for len(got) == 0 || got[len(got)-1] != last {
				ev, _, err := d.Wait(background, 1)
				if err != nil {
					return
				}
				got = append(got, ev)
			}
		})
		r.Go("adapter", func() {
			dev.arrive(1)
			dev.arrive(2)
			ev := last
			event.ProviderOf(d).PutAfterSources(&ev, false)
		})
		r.State(dev.state(&got))
		r.Release(func() { d.Close() })
		r.Check(wanted(&got, true, 1, 2, last))
	})
}
