package verbs

import (
	"os"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
	"github.com/godapl/godapl/internal/wait"
)

// simulated reports whether a number stands for a bell. No descriptor is negative.
func simulated(fd int) bool { return fd < 0 }

// bellQueue is the park.Queue for channels of simulated libraries. Waiting there works in a bubble of testing/synctest.
type bellQueue struct {
	ring               chan struct{} // has room for one
	interrupted, ended atomic.Bool
}

func newBellQueue() *bellQueue { return &bellQueue{ring: make(chan struct{}, 1)} }

func (q *bellQueue) Add(fd int) error {
	ibv.BellOf(fd).Listen(q.ring)
	return nil
}

func (q *bellQueue) Remove(fd int)     { ibv.BellOf(fd).Ignore(q.ring) }
func (q *bellQueue) Ready([]int32) int { return 0 }
func (q *bellQueue) Close()            {}
func (q *bellQueue) Clear()            { q.interrupted.Store(false) }

func (q *bellQueue) Interrupt() {
	q.interrupted.Store(true)
	ibv.Ring(q.ring)
}

func (q *bellQueue) End() {
	q.ended.Store(true)
	q.Interrupt()
}

func (q *bellQueue) Await(look func() bool) error {
	for ; ; <-q.ring {
		switch {
		case q.ended.Load():
			return os.ErrClosed
		case q.interrupted.Load():
			return wait.ErrInterrupted
		case look():
			return nil
		}
	}
}
