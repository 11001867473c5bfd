package wait

import (
	"context"
	"time"
)

// A Parker is a place to sleep that replaces the token channel of a cell, for example a
// descriptor: the sleeper reads the descriptor itself, so no other goroutine runs between an
// arrival and the sleeper. A parker has one owner at a time. [DescriptorParker] implements it for
// any descriptor. A thread of C cannot sleep in Go: see [Cell.Begin].
type Parker interface {
	// AcquirePark makes the caller the owner, if there is none and parking helps now. The owner
	// may then call Park any number of times until it calls ReleasePark.
	AcquirePark() bool
	// Park blocks until there was a kick since the last Park, or since AcquirePark. Meanwhile it
	// handles arrivals on the caller's goroutine; an event for the sleeper calls Wake of its
	// cell, which kicks. If again is not nil, Park calls it after each kick, and goes on until it
	// returns true. Park returns false if the caller cannot park here any more.
	Park(again func() bool) bool
	// Kicker returns the function that makes Park return. It never blocks, and any goroutine
	// may call it, also inside Park, and after the owner has left. It is constant while
	// there is an owner.
	Kicker() *func()
	// ReleasePark ends the ownership.
	ReleasePark()
}

// A Joint is a Parker that can serve other parkers of its kind at the same time. So one sleeper can wait for several
// sources.
type Joint interface {
	Parker
	// Gather makes Park handle the arrivals of other, too, until Part. The owner calls it. If it returns false,
	// the arrivals of other wake the sleeper as they wake one that does not park.
	Gather(other Parker) bool
	// Part ends the ownership in place of ReleasePark. alone says that nobody else sleeps for the same sources,
	// and that the owner will probably park again soon.
	Part(alone bool)
	// Elsewhere says that somebody sleeps, or will sleep, who does not park here. Any goroutine may call it.
	Elsewhere()
}

// bounds are the limits of a wait at a parker. A sleeper there cannot select on channels, so the
// goroutine of a timer or context wakes the cell, like a producer. They belong to the sleeper.
type bounds struct {
	limit time.Time // when this wait times out; zero: not set
	alarm *time.Timer

	followed <-chan struct{} // of the last context
	keep     bool            // two waits in a row had that context
	unfollow func() bool     // nil: the context is not followed now
}

// acquirePark prepares the cell for parking at p.
func (c *Cell) acquirePark(p Parker) bool {
	if p == nil || !p.AcquirePark() {
		return false
	}
	c.kick.f.Store(p.Kicker())
	return true
}

// releasePark makes the sleeper sleep on its token again. A waker that has claimed the sleeper may
// still kick or send a token; the sleeper then wakes once for nothing, perhaps in its next wait.
func (c *Cell) releasePark(p Parker) {
	c.kick.f.Store(nil)
	p.ReleasePark()
}

// parkAt is park for a sleeper that owns a parker. over reports that a look has ended the wait.
func (c *Cell) parkAt(w Waitable, o *Options) (out Outcome, over bool) {
	if o.Context != nil {
		c.follow(o.Context)
	}
	if out = c.bound(o.Done, o.Timeout); out != Ready {
		return out, false
	}
	var again func() bool
	var s *staying
	if o.Stay {
		s = &staying{c: c, w: w, done: o.Done, timeout: o.Timeout}
		again = s.again
	}
	if !o.Parker.Park(again) {
		c.releasePark(o.Parker)
		o.Parker = nil // the sleeper uses its token from now on
	}
	if s != nil {
		return s.out, s.over
	}
	return Ready, false
}

// staying is a wait with Options.Stay inside Park.
type staying struct {
	c       *Cell
	w       Waitable
	done    <-chan struct{}
	timeout time.Duration
	out     Outcome
	over    bool // a look has ended the wait
}

// again looks and arms again. It reports whether the wait, or its stay in Park, is over.
func (s *staying) again() bool {
	if s.over = s.c.armAndLook(s.w, false); !s.over {
		s.out = s.c.bound(s.done, s.timeout)
	}
	return s.over || s.out != Ready
}

// bound checks the bounds of a wait at a parker, and starts its clock.
func (c *Cell) bound(done <-chan struct{}, timeout time.Duration) Outcome {
	select {
	case <-done:
		return Done
	default:
	}
	if timeout > 0 {
		now := time.Now()
		if c.bounds.limit.IsZero() {
			c.bounds.limit = now.Add(timeout)
			c.startAlarm(timeout)
		} else if !now.Before(c.bounds.limit) {
			return Timeout
		}
	}
	return Ready
}

// left returns how much of the time limit d of a wait remains. The wait may have begun at a parker.
func (c *Cell) left(d time.Duration) time.Duration {
	if !c.bounds.limit.IsZero() {
		d = time.Until(c.bounds.limit)
	}
	return d
}

// startAlarm has the cell woken after the time d.
func (c *Cell) startAlarm(d time.Duration) {
	if c.bounds.alarm == nil {
		c.bounds.alarm = time.AfterFunc(d, c.Wake)
	} else {
		c.bounds.alarm.Reset(d)
	}
}

// follow makes the end of a context wake the cell. context.AfterFunc allocates, so a context that
// two waits in a row have used stays registered until a wait uses another one. A context that was
// used once does not: its end, which often comes right after the wait, would start a goroutine.
func (c *Cell) follow(ctx context.Context) {
	b := &c.bounds
	done := ctx.Done()
	if done == nil || b.unfollow != nil && done == b.followed {
		return
	}
	keep := done == b.followed
	c.Forget()
	b.followed, b.keep = done, keep
	b.unfollow = context.AfterFunc(ctx, c.Wake)
}

// endBounds ends the limits of a wait. If the timer fires at the same time, the next wait wakes once
// for nothing.
func (c *Cell) endBounds() {
	b := &c.bounds
	if !b.limit.IsZero() {
		b.limit = time.Time{}
		b.alarm.Stop()
	}
	if b.unfollow != nil && !b.keep {
		b.unfollow()
		b.unfollow = nil
	}
}

// Forget unregisters the context that the cell has kept from earlier waits. The sleeper calls it, or
// a goroutine that knows that no sleeper exists.
func (c *Cell) Forget() {
	b := &c.bounds
	if b.unfollow != nil {
		b.unfollow()
	}
	b.followed, b.unfollow = nil, nil
}
