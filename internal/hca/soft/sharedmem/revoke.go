package sharedmem

import (
	"runtime"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/keydir"
)

// stuckTime is how long the revocation of a key waits for a peer's access. A running peer ends its access
// within microseconds; a peer that does not is stopped. Tests replace it.
var stuckTime = time.Second

// hazardStay is an access of the peer to memory of this side.
type hazardStay struct {
	c     *Conn
	half  int
	word  uint64         // of the key's record, as the peer knew it
	entry *core.KeyEntry // what the key stood for; may be nil
	until time.Time
}

func (t *hazardStay) Over() bool { return t.c.hazardOver(t) }

// AppendStays lists the peer's direct accesses under a key that is no longer valid.
func (c *Conn) AppendStays(list []gate.Stay, g *core.KeyEntry) []gate.Stay {
	for _, t := range c.hazardStays(g) {
		list = append(list, gate.Stay{Peer: t})
	}
	return list
}

func (c *Conn) hazardStays(g *core.KeyEntry) (list []*hazardStay) {
	c.hazardMu.Lock()
	defer c.hazardMu.Unlock()
	if c.gone || c.hungUp.Load() {
		return list
	}
	c.m.order.Slow()
	for half, s := range c.m.peerHazards {
		if w := s.Key(); keydir.Key(w) == uint32(g.Key) && w != c.p.current(g.Key) {
			list = append(list, &hazardStay{c: c, half: half, word: w, entry: g, until: time.Now().Add(stuckTime)})
		}
	}
	return list
}

// waitReleased waits until the peer has no access to this side's memory through this connection. The close
// status is written, so the peer begins no new one.
func (c *Conn) waitReleased() {
	until := time.Now().Add(stuckTime) // for both halves
	for half, s := range c.m.peerHazards {
		c.hazardMu.Lock()
		word := uint64(0)
		if !c.gone && !c.hungUp.Load() {
			c.m.order.Slow()
			word = s.Key()
		}
		c.hazardMu.Unlock()
		if word != 0 {
			c.p.look(func() {
				gate.Stay{Peer: &hazardStay{c: c, half: half, word: word, entry: c.inZone(hca.Key(keydir.Key(word))), until: until}}.Wait()
			})
		}
	}
}

// inZone is what a key stands for that the peer names; nil if that is not of the connection's zone.
func (c *Conn) inZone(key hca.Key) *core.KeyEntry {
	if g := c.a.Keys.Get(key); g != nil && g.PD == c.q.PD {
		return g
	}
	return nil
}

// hazardOver reports whether the peer's access has ended. If it does not end in time, the peer loses the connection,
// and this side's memory is detached from the file that the peer has mapped.
func (c *Conn) hazardOver(t *hazardStay) bool {
	if !c.inHazard(t.half, t.word) {
		return true
	}
	if time.Now().Before(t.until) {
		return false
	}
	if t.entry != nil {
		if err := detachFile(t.entry.MR, c); err != nil {
			c.a.Log.Error("memory that a stopped peer has mapped could not be taken back", "error", err)
		}
	}
	c.hazardMu.Lock()
	if !c.gone {
		c.m.peerHazards[t.half].Clear()
	}
	c.hazardMu.Unlock()
	c.a.Engine.Do(func() { c.q.End(hca.EventBroken, errStopped) })
	return true
}

// inHazard reports whether the peer's hazard slot has the word. A peer that has hung up has no running thread,
// so its slot is ignored.
func (c *Conn) inHazard(half int, word uint64) bool {
	c.hazardMu.Lock()
	defer c.hazardMu.Unlock()
	return !c.gone && !c.hungUp.Load() && c.m.peerHazards[half].Key() == word
}

// awaitHazards waits until the peer no longer uses what was in a key's record before the latest change. A peer that still
// does after stuckTime is stopped, and loses the connection.
func (c *Conn) awaitHazards(g *core.KeyEntry) {
	for _, t := range c.hazardStays(g) {
		for c.inHazard(t.half, t.word) {
			if time.Now().After(t.until) {
				c.a.Engine.Do(func() { c.q.End(hca.EventBroken, errStopped) })
				return
			}
			runtime.Gosched()
		}
	}
}

var errStopped = hca.NewError(hca.Broken, "connection", "", "the peer stopped in the middle of an access to memory that was being freed")
