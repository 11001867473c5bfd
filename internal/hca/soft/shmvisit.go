package soft

import (
	"runtime"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// stuckTime is how long revoking a key waits for a peer that is inside. One that
// runs leaves within microseconds; one that does not is stopped. It is replaced in tests.
var stuckTime = time.Second

// visitStay is a stay of the peer in memory of this side.
type visitStay struct {
	c     *shmConn
	half  int
	key   uint64
	grant *grant // what the key stood for; may be nil
	until time.Time
}

func (t *visitStay) over() bool { return t.c.left(t) }

// appendStays lists the peer's own accesses under a key that is no longer good.
func (c *shmConn) appendStays(list []stay, g *grant) []stay {
	for _, t := range c.visits(g) {
		list = append(list, stay{peer: t})
	}
	return list
}

func (c *shmConn) visits(g *grant) (list []*visitStay) {
	c.visitMu.Lock()
	defer c.visitMu.Unlock()
	if c.gone || c.hung.Load() {
		return list
	}
	c.m.order.Slow()
	for half, s := range c.m.visits {
		if s.Inside() == uint64(g.key) {
			list = append(list, &visitStay{c: c, half: half, key: uint64(g.key), grant: g, until: time.Now().Add(stuckTime)})
		}
	}
	return list
}

// expel waits until the peer is not inside any of this side's memory on behalf of
// the connection. The verdict has been given, so it does not begin anew.
func (c *shmConn) expel() {
	until := time.Now().Add(stuckTime) // for both halves
	for half, s := range c.m.visits {
		c.visitMu.Lock()
		key := uint64(0)
		if !c.gone && !c.hung.Load() {
			c.m.order.Slow()
			key = s.Inside()
		}
		c.visitMu.Unlock()
		if key != 0 {
			stay{peer: &visitStay{c: c, half: half, key: key, grant: c.a.keys.get(hca.Key(key)), until: until}}.wait()
		}
	}
}

// left reports whether the peer's access has ended. One that does not end in time
// costs the peer its connection, and this side's memory parts from the file that
// the peer has mapped.
func (c *shmConn) left(t *visitStay) bool {
	if !c.isInside(t.half, t.key) {
		return true
	}
	if time.Now().Before(t.until) {
		return false
	}
	if t.grant != nil {
		if err := c.p.part(t.grant.mr, c); err != nil {
			c.a.log.Error("memory that a stopped peer has mapped could not be taken back", "error", err)
		}
	}
	c.visitMu.Lock()
	if !c.gone {
		c.m.visits[t.half].Clear()
	}
	c.visitMu.Unlock()
	c.a.engine.do(func() { c.q.end(hca.EventBroken, errStopped) })
	return true
}

// isInside reports whether the peer's visit names the key. One that has hung up has no
// thread left that could be inside, whatever stands there.
func (c *shmConn) isInside(half int, key uint64) bool {
	c.visitMu.Lock()
	defer c.visitMu.Unlock()
	return !c.gone && !c.hung.Load() && c.m.visits[half].Inside() == key
}

// awaitLeft waits a while until the peer does not use a key that has just been
// taken off the board. If it still does, it is stuck, too.
func (c *shmConn) awaitLeft(g *grant) {
	for _, t := range c.visits(g) {
		for c.isInside(t.half, t.key) {
			if time.Now().After(t.until) {
				c.a.engine.do(func() { c.q.end(hca.EventBroken, errStopped) })
				return
			}
			runtime.Gosched()
		}
	}
}

var errStopped = hca.NewError(hca.Broken, "connection", "", "the peer stopped in the middle of an access to memory that was being freed")
