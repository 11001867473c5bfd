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
		q.waiterParks, q.callParks = &waiterParker{p, q}, callParker{p}
	}
}

// waiterParker is the parker of the dispatcher's waiter.
type waiterParker struct {
	hca.Parker
	q *CompletionQueue
}

// ReleasePark implements wait.Parker.
func (p *waiterParker) ReleasePark() { p.Parker.ReleasePark(p.q.othersWait()) }

// callParker is the parker of a call that waits for its own completion.
type callParker struct{ hca.Parker }

// ReleasePark implements wait.Parker. The dispatcher may have a waiter, which a call cannot know.
func (p callParker) ReleasePark() { p.Parker.ReleasePark(true) }
