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
	// cell, which kicks. Park returns false if the caller cannot park here any more.
	Park() bool
	// Kicker returns the function that makes Park return. It never blocks, and any goroutine
	// may call it, also inside Park, and after the owner has left. It is constant while
	// there is an owner.
	Kicker() *func()
	// ReleasePark ends the ownership.
	ReleasePark()
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

// parkAt is park for a sleeper that owns a parker.
func (c *Cell) parkAt(o *Options) Outcome {
	if o.Context != nil {
		c.follow(o.Context)
	}
	select {
	case <-o.Done:
		return Done
	default:
	}
	if o.Timeout > 0 {
		now := time.Now()
		if c.bounds.limit.IsZero() {
			c.bounds.limit = now.Add(o.Timeout)
			c.startAlarm(o.Timeout)
		} else if !now.Before(c.bounds.limit) {
			return Timeout
		}
	}
	if !o.Parker.Park() {
		c.releasePark(o.Parker)
		o.Parker = nil // the sleeper uses its token from now on
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
