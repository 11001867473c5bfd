package wait

import (
	"fmt"
	"sync/atomic"
	"time"
)

// Cell is where one sleeper sleeps. The zero value is ready. A cell may have many
// wakers but one sleeper at a time, which its owner ensures. A cell must not be copied
// after its first use.
type Cell struct {
	// armed is 1 from the time at which the sleeper announces its sleep until it is woken
	// or its wait ends.
	armed atomic.Uint32
	// token holds at most one wake-up. The first sleeper makes it before it arms;
	// wakers use it only after they have seen armed.
	token chan struct{}
	// timer belongs to the sleeper; the next sleeper reuses it.
	timer *time.Timer
	// pace belongs to the sleeper, too.
	pace Pace
	// kick is set, before arming, by a sleeper that does not sleep on the token: see Begin and
	// Parker.
	kick   kicker
	bounds bounds
}

// Wake makes the sleeper look again, if there is one. Publish before you call Wake.
// Wake never blocks and allocates nothing; while no sleeper is armed it is one load.
// Any goroutine may call it.
func (c *Cell) Wake() {
	if c.armed.Load() != 0 {
		c.wake()
	}
}

func (c *Cell) wake() {
	at(c, "wake: claim")
	// One of several wakers sends: one wake-up per armed sleeper.
	if !c.armed.CompareAndSwap(1, 0) {
		return
	}
	at(c, "wake: send")
	if kick := c.kick.f.Load(); kick != nil {
		(*kick)()
		return
	}
	select {
	case c.token <- struct{}{}:
	default: // there is a token already, which wakes the sleeper too
	}
}

// String returns the state, for tests that compare states.
func (c *Cell) String() string {
	return fmt.Sprintf("armed %d, tokens %d, kicked %t, %v", c.armed.Load(), len(c.token), c.kick.f.Load() != nil, &c.pace)
}

// arm announces that the sleeper will park unless its next look finds something.
func (c *Cell) arm() {
	if c.token == nil {
		c.token = make(chan struct{}, 1)
	}
	c.armed.Store(1)
}

// disarm ends a wait. A waker that has claimed the sleeper already may still
// send its token; the next wait then wakes once for nothing.
func (c *Cell) disarm() {
	if c.token == nil || c.armed.CompareAndSwap(1, 0) {
		return
	}
	select {
	case <-c.token:
	default:
	}
}
