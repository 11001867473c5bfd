package rdma

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/wait"
)

// Parker returns the parker of the dispatcher's waiter; nil if the queue has none.
func (s *completionSource) Parker() wait.Parker { return s.q.waiterParks }

// Parker returns the parker of the dispatcher's waiter; nil if the queue has none.
func (s *convertingSource[T]) Parker() wait.Parker { return s.q.waiterParks }

// setParkers sets the parkers of goroutines that wait for the queue, if the adapter has them.
func (q *CompletionQueue) setParkers() {
	if p, ok := q.cq.(hca.Parker); ok {
		q.waiterParks, q.callParks = &waiterParker{Parker: p, q: q}, callParker{p}
	}
}

// waiterParker is the parker of the dispatcher's waiter.
type waiterParker struct {
	hca.Parker
	q      *CompletionQueue
	guests guests // what the owner has gathered
}

// guests are the parkers that an owner has gathered; their number is bounded, so that they can be copied.
type guests struct {
	n   int
	all [8]*waiterParker
}

// ReleasePark implements wait.Parker.
func (p *waiterParker) ReleasePark() {
	others := p.q.othersWait()
	p.Parker.ReleasePark(others)
	p.q.lookAgain(others)
}

// Crowded implements hca.Crowded.
func (p *waiterParker) Crowded() bool {
	x, ok := p.Parker.(hca.Crowded)
	return ok && x.Crowded()
}

// Gather implements wait.Joint.
func (p *waiterParker) Gather(other wait.Parker) bool {
	o, ok := other.(*waiterParker)
	g := &p.guests
	if !ok || g.n == len(g.all) || !p.Parker.Gather(o.Parker) {
		return false
	}
	g.all[g.n] = o
	g.n++
	return true
}

// Part implements wait.Joint.
func (p *waiterParker) Part(alone bool) {
	mine := p.guests // once the park is free, the next owner gathers its own
	p.guests = guests{}
	alone = alone && !p.q.othersWait()
	for _, g := range mine.all[:mine.n] {
		alone = alone && !g.q.othersWait()
	}
	if alone {
		p.Parker.Depart()
	} else {
		p.Parker.ReleasePark(true)
	}
	p.q.lookAgain(!alone)
	for _, g := range mine.all[:mine.n] {
		g.q.lookAgain(!alone)
	}
}

var _ wait.Joint = (*waiterParker)(nil)

// callParker is the parker of a call that waits for its own completion.
type callParker struct{ hca.Parker }

// ReleasePark implements wait.Parker. The dispatcher may have a waiter, which a call cannot know.
func (p callParker) ReleasePark() { p.Parker.ReleasePark(true) }
