package hcatest

import (
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// events receives the connection events of one queue pair and checks their order, in
// every case.
type events struct {
	*env
	name string
	hook func(hca.ConnEvent) // called inside the callback; may be nil

	mu          sync.Mutex
	list        []hca.ConnEvent
	terminal    *hca.ConnEvent
	established *hca.ConnInfo
	last        bool
	closed      bool
	changed     chan struct{} // closed and replaced by every event
}

func newEvents(t *env, name string, hook func(hca.ConnEvent)) *events {
	return &events{env: t, name: name, hook: hook, changed: make(chan struct{})}
}

func (e *events) on(ev hca.ConnEvent) {
	if e.hook != nil {
		defer e.hook(ev)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		e.Errorf("%s: event %d after Close had returned", e.name, ev.Kind)
	}
	switch ev.Kind {
	case hca.EventEstablished:
		if e.established != nil || e.terminal != nil {
			e.Errorf("%s: established twice, or after the end", e.name)
		}
		if ev.Info == nil {
			e.Errorf("%s: established without Info", e.name)
			ev.Info = &hca.ConnInfo{}
		}
		e.established = ev.Info
	case hca.EventDisconnected, hca.EventBroken:
		if e.established == nil {
			e.Errorf("%s: the end (%d) of a connection that was not established", e.name, ev.Kind)
		}
		if e.terminal != nil {
			e.Errorf("%s: a second terminal event (%d after %d)", e.name, ev.Kind, e.terminal.Kind)
		}
		if ev.Kind == hca.EventBroken && ev.Err == nil {
			e.Errorf("%s: broken without a cause", e.name)
		}
		e.terminal = &ev
	case hca.EventLastReceive:
		if e.terminal == nil || e.last {
			e.Errorf("%s: last receive before the end, or twice", e.name)
		}
		e.last = true
	default:
		e.Errorf("%s: unknown event %d", e.name, ev.Kind)
	}
	e.list = append(e.list, ev)
	close(e.changed)
	e.changed = make(chan struct{})
}

// when waits until f, called with the lock held, is true.
func (e *events) when(what string, f func() bool) {
	e.Helper()
	timer := time.NewTimer(e.h.patience())
	defer timer.Stop()
	for {
		e.mu.Lock()
		ok, changed, kinds := f(), e.changed, e.kinds()
		e.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-timer.C:
			e.Fatalf("%s: %s: not after %v; events so far %v", e.name, what, e.h.patience(), kinds)
		}
	}
}

func (e *events) kinds() []hca.ConnEventKind {
	var k []hca.ConnEventKind
	for _, ev := range e.list {
		k = append(k, ev.Kind)
	}
	return k
}

// end waits for the terminal event.
func (e *events) end(what string) hca.ConnEvent {
	e.Helper()
	e.when(what+": terminal event", func() bool { return e.terminal != nil })
	return *e.terminal
}

// disconnected and broken wait for the terminal event and check its kind.
func (e *events) disconnected(what string) hca.ConnEvent {
	e.Helper()
	ev := e.end(what)
	if ev.Kind != hca.EventDisconnected {
		e.Errorf("%s: %s: ended with event %d (%v), want disconnected", e.name, what, ev.Kind, ev.Err)
	}
	return ev
}

func (e *events) broken(what string) hca.ConnEvent {
	e.Helper()
	ev := e.end(what)
	if ev.Kind != hca.EventBroken && !e.h.LooseRefusal {
		e.Errorf("%s: %s: ended with event %d (%v), want broken", e.name, what, ev.Kind, ev.Err)
	}
	return ev
}

// info is that of the established connection, nil before.
func (e *events) info() *hca.ConnInfo {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.established
}

// none checks that there was no event at all.
func (e *events) none(what string) {
	e.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.list) > 0 {
		e.Errorf("%s: %s: events %v, want none", e.name, what, e.kinds())
	}
}

// close is called when Close of the queue pair or adapter has returned.
func (e *events) close() {
	e.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.established != nil && e.terminal == nil {
		e.Errorf("%s: closed without a terminal event", e.name)
	}
	e.closed = true
}
