package dat

// Ahead takes completions out of a dispatcher before the program asks for them, many
// at a time, for those to whom a call is dear and who have a place of their own for
// events, such as a library of C that is written in Go. C has no such thing.
//
// The place is before the queue: the program has to be given what was taken, in its
// order, before anything else of the dispatcher. Whatever concerns the queue as a whole
// (waiting, resizing, attaching a notification object, freeing) comes after a
// [Ahead.PutBack] of what the program was not given yet. A dispatcher with a
// notification object is not to be taken from ahead: its events are what triggers.
//
// An Ahead is used by one goroutine at a time, except for Ready. It owns its events.
// It needs no closing: once the dispatcher is gone Take gives [InvalidHandle].
type Ahead struct {
	d     *evd
	most  int // at a time
	n     int
	taken []record
}

// EVDAhead takes up to most events at a time out of a dispatcher of completions and
// binds. It is nil for any other: of software events the program knows how many fit,
// and those of connections are few.
func EVDAhead(evdHandle EVDHandle, most int) *Ahead {
	d := getEVD(evdHandle)
	if d == nil || d.cq == nil || d.flags&^(EVDDTOFlag|EVDRMRBindFlag|IBEVDExtensionFlag) != 0 {
		return nil
	}
	a := &Ahead{d: d, taken: make([]record, most)}
	a.Refit()
	return a
}

// Ready tells whether Take would find a completion at once that came since. It is a
// look, and brings nothing: on connections whose progress somebody has to drive it may
// stay false for ever, and on devices it always is. It may be called at any time.
func (a *Ahead) Ready() bool { return a.d.cq.Ready() }

// Take takes what is there, as many events as were asked for and no more than the
// dispatcher holds, as [EVDDequeue] takes one: not while somebody waits
// ([InvalidState]), and with the same progress made. It tells how many it took, and how
// many are known to be queued behind those. What it took before has to be gone.
func (a *Ahead) Take() (n int, more Count, ret Return) {
	n, err := a.d.d.PollErr(a.taken[:a.most])
	a.n = n
	if n == 0 {
		return 0, 0, notDequeued(err)
	}
	if n == a.most {
		more = Count(a.d.d.Len())
	}
	return n, more, Success
}

// Event writes the i-th event of those taken.
func (a *Ahead) Event(i int, event *Event) {
	a.taken[:a.n][i].fill(event, EVDHandle(a.d.handle))
}

// PutBack puts the events from the i-th on back to the front of the queue, as if they
// had never been taken. Nobody else may have taken any meanwhile.
func (a *Ahead) PutBack(i int) {
	a.d.d.PutBack(a.taken[i:a.n])
	a.n = i
}

// Refit is called after [EVDResize].
func (a *Ahead) Refit() { a.most = min(len(a.taken), a.d.d.Cap()) }
