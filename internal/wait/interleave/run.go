package interleave

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"
)

// Run is one run of a scenario. Its set-up methods are called by the function
// given to [Walk]; Step is called by the code under test.
type Run struct {
	mu      sync.Mutex // guards the actors' fields against stray goroutines
	actors  []*actor
	byID    map[uint64]*actor
	state   func() string
	idle    func() error
	release func()
	check   func() error
	finally func()
	trace   []string
}

// actor is one goroutine of a run.
type actor struct {
	name    string
	body    func()
	advance time.Duration // not a goroutine but the clock
	at      string        // the step that it waits before, or that it has passed
	waiting bool
	ended   bool
	grant   chan struct{}
}

// Go adds a goroutine.
func (r *Run) Go(name string, body func()) {
	r.actors = append(r.actors, &actor{name: name, body: body, grant: make(chan struct{}), at: "start"})
}

// Clock adds one step of time, by d, which the walker places at any point of the run.
func (r *Run) Clock(name string, d time.Duration) {
	r.actors = append(r.actors, &actor{name: name, advance: d, at: "start", waiting: true})
}

// State lets the walker recognise a state that it has seen. f returns everything that the
// rest of the run can depend on, except the step that each goroutine is at. nil removes f.
func (r *Run) State(f func() string) { r.state = f }

// Idle sets a function that is called when all goroutines are parked and none can
// continue. It returns nil if that is correct. Without it, that is an error.
func (r *Run) Idle(f func() error) { r.idle = f }

// Release sets a function that ends a run whose goroutines stay parked, or that the walker
// abandons at a known state: the function closes what the goroutines wait for.
func (r *Run) Release(f func()) { r.release = f }

// Check sets a function that is called when every goroutine has ended on its own.
func (r *Run) Check(f func() error) { r.check = f }

// Finally sets a function that is called at the end of every run, also of one that
// turned back at a known state: it releases the resources of the run.
func (r *Run) Finally(f func()) { r.finally = f }

// Step stops the calling goroutine until the walker lets it continue. It does nothing for
// goroutines that are not part of the run.
func (r *Run) Step(label string) {
	r.mu.Lock()
	a := r.byID[goroutineID()]
	if a == nil {
		r.mu.Unlock()
		return
	}
	a.at, a.waiting = label, true
	r.mu.Unlock()
	<-a.grant
}

// start launches the goroutines; each stops before its first step.
func (r *Run) start() *sync.WaitGroup {
	var all sync.WaitGroup
	r.mu.Lock()
	r.byID = make(map[uint64]*actor)
	r.mu.Unlock()
	for _, a := range r.actors {
		if a.body == nil {
			continue
		}
		all.Go(func() {
			r.mu.Lock()
			r.byID[goroutineID()] = a
			r.mu.Unlock()
			r.Step("start")
			a.body()
			r.mu.Lock()
			a.ended, a.at = true, "end"
			r.mu.Unlock()
		})
	}
	return &all
}

// ready lists the actors that can continue, by index.
func (r *Run) ready() (list []int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, a := range r.actors {
		if a.waiting {
			list = append(list, i)
		}
	}
	return list
}

// let lets actor i make one step.
func (r *Run) let(i int) {
	a := r.actors[i]
	r.trace = append(r.trace, a.name+": "+a.at)
	r.mu.Lock()
	a.waiting = false
	r.mu.Unlock()
	if a.body == nil {
		a.ended, a.at = true, "end"
		<-time.After(a.advance)
		return
	}
	a.grant <- struct{}{}
}

// parked returns the names of the goroutines that have not ended and are parked.
func (r *Run) parked() (names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.actors {
		if a.body != nil && !a.ended && !a.waiting {
			names = append(names, a.name+" after "+a.at)
		}
	}
	return names
}

// key describes the run's whole state.
func (r *Run) key() string {
	if r.state == nil {
		return ""
	}
	var b strings.Builder
	r.mu.Lock()
	for _, a := range r.actors {
		fmt.Fprintf(&b, "%s/%v|", a.at, a.waiting)
	}
	r.mu.Unlock()
	return b.String() + r.state()
}

// finish ends the run, one step at a time, without further checks.
func (r *Run) finish(all *sync.WaitGroup) {
	for released := false; ; {
		synctest.Wait()
		if ready := r.ready(); len(ready) > 0 {
			r.let(ready[0])
			continue
		}
		if released || r.release == nil || len(r.parked()) == 0 {
			break // the parked goroutines wait for time to pass; otherwise synctest reports them
		}
		r.release()
		released = true
	}
	all.Wait()
}

// order is the trace as text.
func (r *Run) order() string { return strings.Join(slices.Clone(r.trace), "\n\t") }
