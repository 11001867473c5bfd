package wait

import "sync/atomic"

// kicker wakes a sleeper that does not sleep on the token of its cell: at a [Parker], or outside of
// Go. It is empty for a sleeper that does.
type kicker struct{ f atomic.Pointer[func()] }

// Begin is Wait for a sleeper outside of this package, such as a thread of C in poll(2). If it
// returns true, a Look was true and the wait is over. Otherwise the sleeper sleeps until kick is
// called, or until it has another reason to wake, and then calls Again. Its last call is End. kick
// must not block; any goroutine may call it, also once more after End. Begin ignores the limits of
// o: the sleeper keeps them itself.
func (c *Cell) Begin(w Waitable, o Options, kick *func()) (ready bool) {
	if c.burst(w, &o) {
		return true
	}
	c.kick.f.Store(kick)
	return c.armAndLook(w, o.Looked)
}

// Again looks after the sleeper has woken, and arms again if the wait is not over.
func (c *Cell) Again(w Waitable) (ready bool) {
	c.armed.Store(0) // events that this look finds need no kick
	return c.armAndLook(w, false)
}

// End ends a wait that Begin has begun.
func (c *Cell) End() {
	c.armed.Store(0)
	c.kick.f.Store(nil)
}
