package dat

// Ahead takes completions out of a dispatcher before the program asks for them, many at
// a time. It is an extension without a counterpart in C, for callers for which a call
// is expensive and which keep events in a place of their own, such as a C library that
// is written in Go.
//
// That place is the front of the queue: the caller must give the program the taken
// events, in order, before any other event of the dispatcher. Before an operation that
// concerns the whole queue (waiting, resizing, attaching a notification object,
// freeing), call [Ahead.PutBack] with the events that the program has not got yet. Do
// not take ahead from a dispatcher with a notification object: its queued events are
// the trigger.
//
// One goroutine at a time uses an Ahead, except for Ready. The Ahead owns its events.
// It need not be closed: once the dispatcher is gone, Take returns [InvalidHandle].
type Ahead struct {
	d     *evd
	most  int // at a time
	n     int
	taken []record
}

// EVDAhead takes up to most events at a time out of a dispatcher of completions and
// binds, where most is 1 at least. It is nil for any other: of software events the program knows how many fit,
// and those of connections are few.
func EVDAhead(evdHandle EVDHandle, most int) *Ahead {
	d := getEVD(evdHandle)
	if d == nil || d.cq == nil || most < 1 || d.flags&^(EVDDTOFlag|EVDRMRBindFlag|IBEVDExtensionFlag) != 0 {
		return nil
	}
	a := &Ahead{d: d, taken: make([]record, most)}
	a.Refit()
	return a
}

// Ready reports whether Take would find a new completion at once. It only looks, and
// drives no progress: on connections whose progress depends on polling it may stay
// false for ever, and on devices it always does. It may be called at any time.
func (a *Ahead) Ready() bool { return a.d.cq.Ready() }

// Take takes available events, as many as were asked for and no more than the
// dispatcher holds, in the way that [EVDDequeue] takes one: not while another goroutine
// waits ([InvalidState]), and with the same progress. It returns how many it took, and
// how many more are known to be queued. The events of the previous Take must have been
// given out or put back.
func (a *Ahead) Take() (n int, more Count, ret Return) {
	n = a.d.d.Poll(a.taken[:a.most])
	a.n = n
	if n == 0 {
		return 0, 0, notDequeued(a.d.d.Err())
	}
	if n == a.most {
		more = Count(a.d.d.Len())
	}
	return n, more, Success
}

// Event writes the i-th taken event.
func (a *Ahead) Event(i int, event *Event) {
	a.taken[:a.n][i].fill(event, EVDHandle(a.d.handle))
}

// PutBack puts the events from the i-th on back to the front of the queue, as if they
// had never been taken. No other goroutine may have taken events in between.
func (a *Ahead) PutBack(i int) {
	feed(a.d.d).PutBack(a.taken[i:a.n])
	a.n = i
}

// Refit is called after [EVDResize].
func (a *Ahead) Refit() { a.most = min(len(a.taken), a.d.d.Cap()) }
