package group

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/park"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/shm"
)

// A Member is a connection of a group.
type Member interface {
	// Arm handles what has come. What comes later raises the flag again.
	Arm()
	// Poll also handles what the peer does without raising the flag: it may acknowledge requests that nobody waits for.
	Poll(*core.CQ, *hca.WC) bool
}

// A Group is several connections that share a doorbell. In the lists of their completion queues it is one connection.
type Group struct {
	progress.PollState
	a      *core.Adapter
	q      *core.QP // of its first connection, which may have ended: it knows the queues
	number uint64

	polls  atomic.Uint64 // by consumers, of a group that does not sleep
	serves atomic.Bool   // the adapter's poller is at it, and arms the doorbell when it has finished
	seen   atomic.Uint64 // polls, when the poller last looked
	parker atomic.Pointer[core.CQ]

	mu      sync.Mutex // guards the rest; held for a few instructions, and while a descriptor moves
	page    page
	event   int
	bell    int32 // number of event in the adapter's poller
	away    bool  // event is not there
	at      park.Place
	members []Member // by slot
	free    []int    // slots of members that have left
	turn    int      // of the member that was polled last
	closed  bool
}

// enter takes a member in. ok is false if the group is full.
func (g *Group) enter(m Member) (slot int, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := len(g.free); n > 0 {
		slot = g.free[n-1]
		g.free = g.free[:n-1]
		g.members[slot] = m
		return slot, true
	}
	if len(g.members) == Most {
		return 0, false
	}
	g.members = append(g.members, m)
	return len(g.members) - 1, true
}

// leave takes a member out. With the last one the group ends, and last is true.
func (g *Group) leave(slot int) (last bool) {
	g.mu.Lock()
	g.members[slot] = nil
	g.free = append(g.free, slot)
	last = len(g.free) == len(g.members)
	if last {
		g.closed = true
		g.unlisten()
		shm.CloseFD(g.event)
		_ = g.page.seg.Close()
	}
	g.mu.Unlock()
	if last {
		g.q.SendCQ.RemoveConn(g)
		g.q.RecvCQ.RemoveConn(g)
		g.a.Background.Unwatch(g)
	}
	return last
}

// Poll implements core.Polled. It polls a few members, and looks at the flags of all. As long as the doorbell is armed none
// is raised.
func (g *Group) Poll(*core.CQ, *hca.WC) (one bool) {
	var turn [few]Member
	for _, m := range turn[:g.others(turn[:])] {
		m.Poll(nil, nil)
	}
	if g.rests() {
		return false
	}
	if !g.Polled.Load() {
		g.Polled.Store(true)
	}
	gate.StoreRelease(&g.polls, g.polls.Load()+1)
	g.a.Background.Watch(g)
	g.look()
	return false
}

// few is how many members are polled at a time.
const few = 4

// others returns the next members in turn, at most len(into), and none twice.
func (g *Group) others(into []Member) (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for range min(len(into), len(g.members)) {
		if g.turn++; g.turn >= len(g.members) {
			g.turn = 0
		}
		if m := g.members[g.turn]; m != nil {
			into[n] = m
			n++
		}
	}
	return n
}

// Unpolled implements core.Polled.
func (g *Group) Unpolled() {
	if g.Polled.Load() {
		g.Polled.Store(false)
	}
	if !g.serves.Load() && !g.rests() {
		g.Arm()
	}
}

// Guarded, SharesMemory and Crowd implement core.Polled and core.Crowd.
func (g *Group) Crowd()             {}
func (g *Group) Guarded() bool      { return false }
func (g *Group) SharesMemory() bool { return true }

// rests reports whether the doorbell is armed and somebody hears it.
func (g *Group) rests() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed || g.page.bell.Armed() && (!g.away || g.parker.Load() != nil)
}

// Arm lets the group sleep: whatever comes from now on rings. What came before is handled here. With Waits, Steady and
// Rearm it implements progress.Pollable.
func (g *Group) Arm() {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return
	}
	g.hear()
	g.page.bell.Arm()
	g.mu.Unlock()
	g.look()
}

func (g *Group) Waits() bool { return false }
func (g *Group) Steady()     {}

// Rearm takes a poll since the watch's last look for none: that poll has found the group watched, and has not had it
// watched again.
func (g *Group) Rearm() {
	g.Polled.Store(false)
	g.Arm()
}

// look handles what has come on all connections, each once. It reports whether something has.
func (g *Group) look() (found bool) {
	var ready [wordBits]Member
	for word, all := 0, false; !all; word++ {
		var n int
		n, all = g.raised(&ready, word)
		for _, m := range ready[:n] {
			m.Arm() // inside no lock: it may call the program
			found = true
		}
	}
	return found
}

// raised lowers the flags of a word and returns their members. all is true with the last word.
func (g *Group) raised(into *[wordBits]Member, word int) (n int, all bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return 0, true
	}
	first := word * wordBits
	for f := g.page.lower(word); f != 0; f &= f - 1 {
		slot := first + bits.TrailingZeros64(f)
		if slot >= len(g.members) {
			break // the peer raises what no member has
		}
		if m := g.members[slot]; m != nil {
			into[n] = m
			n++
		}
	}
	return n, first+wordBits >= len(g.members)
}

var (
	_ core.Parkable     = (*Group)(nil)
	_ core.Polled       = (*Group)(nil)
	_ progress.Pollable = (*Group)(nil)
)
