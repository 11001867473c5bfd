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
	// armed is 1 from when the sleeper announces that it will sleep until it is woken
	// or leaves.
	armed atomic.Uint32
	// token holds at most one wake-up. The first sleeper makes it before it arms;
	// wakers use it only after they have seen armed.
	token chan struct{}
	// timer belongs to the sleeper; the next sleeper reuses it.
	timer *time.Timer
	// pace belongs to the sleeper, too.
	pace pace
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
	select {
	case c.token <- struct{}{}:
	default: // a token is there already, which is as good as ours
	}
}

// String tells the state, for tests that compare states.
func (c *Cell) String() string {
	return fmt.Sprintf("armed %d, tokens %d, %v", c.armed.Load(), len(c.token), c.pace)
}

// arm says that the sleeper is about to park unless it sees something now.
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
