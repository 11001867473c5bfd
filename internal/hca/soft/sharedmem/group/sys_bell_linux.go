package group

import (
	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// bellHandler handles the doorbell in the adapter's poller, as long as no consumer hears it. The poller looks until nothing
// comes any more, or a consumer polls all the time. Until then nobody needs to arm the doorbell.
type bellHandler struct{ g *Group }

func (b *bellHandler) Event(uint32) (again bool) {
	b.g.serves.Store(true)
	return b.Continue()
}

// Continue looks once. It ends when nothing has come, or when a consumer looks all the time.
func (b *bellHandler) Continue() (again bool) {
	g := b.g
	polls := g.polls.Load()
	often := polls-g.seen.Swap(polls) > manyPolls
	if g.look() && !often {
		return true
	}
	b.finish(often)
	return false
}

// manyPolls between two looks of the poller are those of a consumer that does not sleep.
const manyPolls = 8

// finish leaves the group to a consumer that polls, with the watch behind it, or lets it sleep. A consumer that stops polling
// says so before it asks whether the poller is at it: see Unpolled. So one of the two arms the doorbell.
func (b *bellHandler) finish(polled bool) {
	b.g.serves.Store(false)
	if !polled || !b.g.Polled.Load() {
		b.g.Arm()
	}
}

func (b *bellHandler) SetPending(bool) {}
func (b *bellHandler) ToEngine()       { b.finish(false) }

// listen lets the adapter's poller hear the doorbell.
func (g *Group) listen() error { return g.hearBy(&g.a.Background.Poller, &bellHandler{g}) }

// hearBy lets a poller hear the doorbell, and h handle it.
func (r *roster) hearBy(p *progress.Poller, h progress.Handler) error {
	if err := p.Add(r.event, h, &r.bell); err != nil {
		return err
	}
	p.Modify(r.event, r.bell, unix.EPOLLIN)
	return nil
}

// unlisten undoes listen. The caller holds mu.
func (g *Group) unlisten() {
	g.at.Move(g.event, nil) // the peer has the event, too, so that closing the descriptor would not remove it
	g.a.Background.Poller.Remove(g.event)
}

// depart takes the doorbell out of the adapter's poller. The caller holds mu.
func (g *Group) depart() {
	if !g.away {
		g.a.Background.Poller.Leave(g.event)
		g.away = true
	}
}

// hear puts the doorbell back into the adapter's poller, unless a consumer hears it. A ring that has come already is
// reported. The caller holds mu.
func (g *Group) hear() {
	if !g.away || g.parker.Load() != nil {
		return
	}
	g.at.Move(g.event, nil)
	if err := g.a.Background.Poller.Enter(g.event, g.bell, unix.EPOLLIN); err == nil {
		g.away = false
	} else {
		g.a.Background.Watch(g) // try again
	}
}
