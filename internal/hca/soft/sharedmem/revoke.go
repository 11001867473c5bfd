package sharedmem

import (
	"runtime"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
)

// stuckTime is how long revoking a key waits for a peer that is inside. One that
// runs leaves within microseconds; one that does not is stopped. It is replaced in tests.
var stuckTime = time.Second

// hazardStay is a stay of the peer in memory of this side.
type hazardStay struct {
	c     *Conn
	half  int
	key   uint64
	grant *core.KeyEntry // what the key stood for; may be nil
	until time.Time
}

func (t *hazardStay) Over() bool { return t.c.left(t) }

// AppendStays lists the peer's own accesses under a key that is no longer good.
func (c *Conn) AppendStays(list []gate.Stay, g *core.KeyEntry) []gate.Stay {
	for _, t := range c.hazardStays(g) {
		list = append(list, gate.Stay{Peer: t})
	}
	return list
}

func (c *Conn) hazardStays(g *core.KeyEntry) (list []*hazardStay) {
	c.visitMu.Lock()
	defer c.visitMu.Unlock()
	if c.gone || c.hung.Load() {
		return list
	}
	c.m.order.Slow()
	for half, s := range c.m.peerHazards {
		if s.Inside() == uint64(g.Key) {
			list = append(list, &hazardStay{c: c, half: half, key: uint64(g.Key), grant: g, until: time.Now().Add(stuckTime)})
		}
	}
	return list
}

// waitReleased waits until the peer is not inside any of this side's memory on behalf of
// the connection. The verdict has been given, so it does not begin anew.
func (c *Conn) waitReleased() {
	until := time.Now().Add(stuckTime) // for both halves
	for half, s := range c.m.peerHazards {
		c.visitMu.Lock()
		key := uint64(0)
		if !c.gone && !c.hung.Load() {
			c.m.order.Slow()
			key = s.Inside()
		}
		c.visitMu.Unlock()
		if key != 0 {
			gate.Stay{Peer: &hazardStay{c: c, half: half, key: key, grant: c.a.Keys.Get(hca.Key(key)), until: until}}.Wait()
		}
	}
}

// left reports whether the peer's access has ended. One that does not end in time
// costs the peer its connection, and this side's memory parts from the file that
// the peer has mapped.
func (c *Conn) left(t *hazardStay) bool {
	if !c.isInside(t.half, t.key) {
		return true
	}
	if time.Now().Before(t.until) {
		return false
	}
	if t.grant != nil {
		if err := c.p.part(t.grant.MR, c); err != nil {
			c.a.Log.Error("memory that a stopped peer has mapped could not be taken back", "error", err)
		}
	}
	c.visitMu.Lock()
	if !c.gone {
		c.m.peerHazards[t.half].Clear()
	}
	c.visitMu.Unlock()
	c.a.Engine.Do(func() { c.q.End(hca.EventBroken, errStopped) })
	return true
}

// isInside reports whether the peer's visit names the key. One that has hung up has no
// thread left that could be inside, whatever stands there.
func (c *Conn) isInside(half int, key uint64) bool {
	c.visitMu.Lock()
	defer c.visitMu.Unlock()
	return !c.gone && !c.hung.Load() && c.m.peerHazards[half].Inside() == key
}

// awaitLeft waits a while until the peer does not use a key that has just been
// taken off the board. If it still does, it is stuck, too.
func (c *Conn) awaitLeft(g *core.KeyEntry) {
	for _, t := range c.hazardStays(g) {
		for c.isInside(t.half, t.key) {
			if time.Now().After(t.until) {
				c.a.Engine.Do(func() { c.q.End(hca.EventBroken, errStopped) })
				return
			}
			runtime.Gosched()
		}
	}
}

var errStopped = hca.NewError(hca.Broken, "connection", "", "the peer stopped in the middle of an access to memory that was being freed")
