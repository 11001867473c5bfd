package sharedmem

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca/park"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/shm"
)

// A consumer that sleeps for the connection watches the doorbell's descriptor itself: a goroutine in its park, a
// thread outside of Go with a call of its own. Meanwhile the descriptor is in no other poller, so that no other
// goroutine wakes. It stays there as long as the consumer soon sleeps again.

// Park implements core.Parkable. A goroutine of many that are busy leaves the connection to the adapter's poller; a thread would be
// woken more slowly so.
func (c *Conn) Park(queue *core.CQ, p *park.Park) (fd int) {
	if p != nil && c.group.Crowded() || !c.started.Load() || c.q.State.Load() != core.StateReady || c.p.simulation != nil {
		c.Unpark(queue)
		return -1
	}
	if c.parker.Load() != queue && !c.parker.CompareAndSwap(nil, queue) {
		return -1
	}
	c.sockMu.Lock()
	defer c.sockMu.Unlock()
	if c.sockGone || !c.unwatchDoorbell() || c.at.Move(c.own, p) != nil {
		c.parker.Store(nil)
		c.unrest() // the doorbell may be in no poller
		return -1
	}
	if p == nil {
		// For a thread the descriptor stays readable until it is read. It is read before the doorbell is armed
		// and the ring is checked: later frames signal again. A park reports each signal, read or not.
		shm.Drain(c.own)
	}
	c.unrest()
	return c.own
}

// Arrived implements core.Parkable. It arms the doorbell when nothing is left.
func (c *Conn) Arrived(p *park.Park) {
	for more, inside := c.progress(); more && inside; more, inside = c.progress() {
		if p.Kicked() {
			c.Schedule()
			return
		}
	}
}

// Moves implements park.Mover.
func (c *Conn) Moves() bool { return c.group.Crowded() }

// Unpark implements core.Parkable.
func (c *Conn) Unpark(queue *core.CQ) {
	if !c.parker.CompareAndSwap(queue, nil) {
		return
	}
	c.unrest() // the doorbell may be in no poller
	c.a.Background.Unparked(c, c.q.Sleeps())
}

// unwatchDoorbell removes the doorbell from its poller. The caller holds sockMu.
func (c *Conn) unwatchDoorbell() bool {
	if c.bellUnwatched.Load() {
		return true
	}
	p := &c.a.Background.Poller
	if c.doorbell != nil {
		if err := p.Add(c.own, &doorbellHandler{c}, &c.bell); err != nil {
			return false
		}
		_ = c.doorbell.SetReadDeadline(time.Unix(1, 0)) // the goroutine of listenDoorbell closes it
		c.doorbell = nil
	}
	p.Leave(c.own)
	c.bellUnwatched.Store(true)
	return true
}

// watchDoorbell puts the doorbell back into the adapter's poller, unless a consumer watches it. A signal that has come
// already is reported.
func (c *Conn) watchDoorbell() {
	if !c.bellUnwatched.Load() || c.parker.Load() != nil {
		return
	}
	c.sockMu.Lock()
	defer c.sockMu.Unlock()
	if !c.bellUnwatched.Load() || c.parker.Load() != nil || c.sockGone {
		return
	}
	c.at.Move(c.own, nil)
	if err := c.a.Background.Poller.Enter(c.own, c.bell, unix.EPOLLIN); err == nil {
		c.bellUnwatched.Store(false)
	} else {
		c.a.Background.Watch(c) // try again
	}
}
