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
	guests []*waiterParker // what the owner has gathered
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
	if !ok || !p.Parker.Gather(o.Parker) {
		return false
	}
	p.guests = append(p.guests, o)
	return true
}

// Part implements wait.Joint.
func (p *waiterParker) Part(alone bool) {
	alone = alone && !p.q.othersWait()
	for _, g := range p.guests {
		alone = alone && !g.q.othersWait()
	}
	if alone {
		p.Parker.Depart()
	} else {
		p.Parker.ReleasePark(true)
	}
	p.q.lookAgain(!alone)
	for _, g := range p.guests {
		g.q.lookAgain(!alone)
	}
	clear(p.guests)
	p.guests = p.guests[:0]
}

var _ wait.Joint = (*waiterParker)(nil)

// callParker is the parker of a call that waits for its own completion.
type callParker struct{ hca.Parker }

// ReleasePark implements wait.Parker. The dispatcher may have a waiter, which a call cannot know.
func (p callParker) ReleasePark() { p.Parker.ReleasePark(true) }
