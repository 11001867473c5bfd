package verbs

import "sync"

// teller calls the consumer about asynchronous events: in order, and on a goroutine of its own.
// Such a call may close a queue pair, whose end reads the device's events: so no reader of events
// makes the call, and no goroutine that ends a queue pair.
type teller struct {
	mu    sync.Mutex
	calls []func()
	busy  bool // the goroutine runs
}

// tell has f called. Close waits for it.
func (a *adapter) tell(f func()) {
	if f == nil || !a.calls.enter() {
		return
	}
	t := &a.teller
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, f)
	if !t.busy {
		t.busy = true
		go a.labeled("events", a.tellAll)()
	}
}

func (a *adapter) tellAll() {
	for f := a.teller.next(); f != nil; f = a.teller.next() {
		f()
		a.calls.leave()
	}
}

// next takes the oldest call; nil ends the goroutine.
func (t *teller) next() func() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.busy = len(t.calls) > 0; !t.busy {
		return nil
	}
	f := t.calls[0]
	t.calls = t.calls[1:]
	return f
}
