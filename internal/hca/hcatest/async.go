package hcatest

import (
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// asyncs takes the asynchronous events of one adapter.
type asyncs struct {
	t    *env
	name string

	mu       sync.Mutex
	expected map[hca.AsyncKind]bool
	closed   bool
	ch       chan hca.AsyncEvent
}

func newAsyncs(t *env, name string) *asyncs {
	return &asyncs{t: t, name: name, expected: map[hca.AsyncKind]bool{}, ch: make(chan hca.AsyncEvent, 64)}
}

// expect allows a kind that is otherwise a failure of the case.
func (a *asyncs) expect(k hca.AsyncKind) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.expected[k] = true
}

func (a *asyncs) on(ev hca.AsyncEvent) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		a.t.Errorf("%s: asynchronous event %d after the adapter was closed", a.name, ev.Kind)
	}
	switch ev.Kind {
	case hca.AsyncAdapterFailed, hca.AsyncCQOverflow, hca.AsyncSRQFailed:
		if !a.expected[ev.Kind] {
			a.t.Errorf("%s: asynchronous event %d: %v", a.name, ev.Kind, ev.Err)
		}
	}
	select {
	case a.ch <- ev:
	default:
	}
}

// wait gives the next event of the kind.
func (a *asyncs) wait(k hca.AsyncKind) hca.AsyncEvent {
	a.t.Helper()
	for {
		if ev := await(a.t, a.name+": asynchronous event", a.ch); ev.Kind == k {
			return ev
		}
	}
}

func (a *asyncs) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
}
