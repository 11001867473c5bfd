package group

import (
	"github.com/godapl/godapl/internal/hca/park"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/shm"
)

// Park implements core.Parkable: a consumer that sleeps hears the doorbell itself.
func (g *Group) Park(queue *core.CQ, p *park.Park) (fd int) {
	if g.parker.Load() != queue && !g.parker.CompareAndSwap(nil, queue) {
		return -1
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || g.at.Move(g.event, p) != nil {
		g.parker.Store(nil)
		return -1
	}
	g.depart()
	if p == nil {
		// For a thread the descriptor stays readable until it is read. It is read before the doorbell is armed and the
		// flags are looked at: what comes later rings again. A park reports each ring, read or not.
		shm.Drain(g.event)
	}
	return g.event
}

// mostLooks is how often a sleeping consumer looks until it serves others: connections of other peers may be in its park.
const mostLooks = 16

// Arrived implements core.Parkable. It arms the doorbell when nothing is left, or when the peer is too busy: then the next
// ring brings the consumer back.
func (g *Group) Arrived(p *park.Park) {
	for n := 0; n < mostLooks && g.look(); n++ {
		if p.Kicked() {
			return // its owner has to look at its queue, and polls, comes back or unparks
		}
	}
	g.Arm()
}

// Unpark implements core.Parkable.
func (g *Group) Unpark(queue *core.CQ) {
	if !g.parker.CompareAndSwap(queue, nil) {
		return
	}
	g.a.Background.Unparked(g, g.q.Sleeps())
}
