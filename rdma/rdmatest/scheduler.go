package rdmatest

import (
	"slices"
	"strings"
	"testing/synctest"
	"time"
)

// A step is something that can happen now.
type step struct {
	name string // orders the steps that can happen: they must not depend on who came first
	do   func()
}

// run takes the steps of the world, until it is over.
func (w *World) run() {
	defer close(w.done)
	watchdog := time.NewTimer(Patience)
	defer watchdog.Stop()
	for {
		synctest.Wait()
		w.turns.Add(1)
		w.mu.Lock()
		w.within = 0
		if w.over {
			release(&w.calm)
			release(&w.resting)
			w.mu.Unlock()
			return
		}
		if len(w.resting) > 0 {
			release(&w.resting)
			w.mu.Unlock()
			continue
		}
		if ready := w.ready(time.Now()); len(ready) > 0 {
			ready[w.draw.IntN(len(ready))].do()
			w.maybe()
			rings := w.rings
			w.rings = nil
			w.mu.Unlock()
			for _, ring := range rings {
				ring()
			}
			continue
		}
		if len(w.calm) > 0 {
			release(&w.calm)
			w.mu.Unlock()
			continue
		}
		next, some := w.next()
		w.mu.Unlock()
		var alarm <-chan time.Time
		var timer *time.Timer
		if some {
			timer = time.NewTimer(time.Until(next))
			alarm = timer.C
		}
		select {
		case <-w.wake:
		case <-alarm:
		case <-watchdog.C:
			w.mu.Lock()
			w.t.Errorf("%v. Its seed is %d, and the last steps were:\n%s", ErrStuck, w.seed, w.trace.tail(traceTail))
			w.mu.Unlock()
			w.cancel(ErrStuck)
		}
		if timer != nil {
			timer.Stop()
		}
	}
}

// release lets those continue that wait in Settle or rest. The caller holds w.mu.
func release(waiting *[]chan struct{}) {
	for _, c := range *waiting {
		close(c)
	}
	*waiting = nil
}

// wakeScheduler tells the scheduler that there may be something to do.
func (w *World) wakeScheduler() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// ready lists what can happen now, in an order that does not depend on goroutines. The caller holds w.mu.
func (w *World) ready(now time.Time) (all []step) {
	for _, p := range w.plans {
		if !p.at.IsZero() && !p.at.After(now) {
			return []step{{do: func() { w.carryOut(p) }}} // in the order of their times
		}
	}
	for _, y := range w.ways {
		if s, can := y.ready(now); can {
			all = append(all, s)
		}
	}
	for name, q := range w.signals {
		all = append(all, step{"visible " + name, func() {
			delete(w.signals, name)
			w.record("visible", name, 0)
			w.rings = append(w.rings, q.visible)
		}})
	}
	all = w.machineSteps(all)
	slices.SortFunc(all, func(a, b step) int { return strings.Compare(a.name, b.name) })
	return all
}

// next returns when the next thing can happen, if nothing can now. The caller holds w.mu.
func (w *World) next() (at time.Time, some bool) {
	earlier := func(t time.Time) {
		if !t.IsZero() && (!some || t.Before(at)) {
			at, some = t, true
		}
	}
	for _, p := range w.plans {
		earlier(p.at)
	}
	for _, y := range w.ways {
		earlier(y.next())
	}
	return at, some
}

// record adds a step to the trace. The caller holds w.mu.
func (w *World) record(what, name string, n int) {
	w.trace.add(entry{time.Since(w.begun), what, name, n})
}
