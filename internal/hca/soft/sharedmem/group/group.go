package group

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/park"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// A Group is several connections that share a doorbell. In the lists of their completion queues it is one connection.
type Group struct {
	progress.PollState
	a *core.Adapter
	q *core.QP // of its first connection, which may have ended: it knows the queues

	polls  atomic.Uint64 // by consumers, of a group that does not sleep
	serves atomic.Bool   // the adapter's poller is at it, and arms the doorbell when it has finished
	seen   atomic.Uint64 // polls, when the poller last looked
	parker atomic.Pointer[core.CQ]

	roster
	away bool // event is not in the adapter's poller
	at   park.Place
	turn int // of the member that was polled last
}

// leave takes a member out. With the last one the group ends, and last is true.
func (g *Group) leave(slot int) (last bool) {
	if last = g.vacate(slot, g.unlisten); last {
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

var (
	_ core.Parkable     = (*Group)(nil)
	_ core.Polled       = (*Group)(nil)
	_ progress.Pollable = (*Group)(nil)
)
