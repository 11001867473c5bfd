package core

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca/park"
)

// This file is for tests in the packages above, which cannot reach unexported fields. The library does not call
// its methods.

// Dump lists all state on which the queue pair's next actions can depend. Tests compare states.
func (q *QP) Dump() string {
	return fmt.Sprint(q.State.Load(), q.Tx.Word.Load(), q.SQ.Head, q.SQ.Next, q.SQ.Tail, q.Flush, q.endsPending.Load())
}

// Entered is the number of entries that were put into the current ring.
func (c *CQ) Entered() uint64 { return c.tailRing.tail.Load() }

// ParkAt has the queue's consumer sleep on a kernel queue of the test's. It returns the park.
func (c *CQ) ParkAt(k park.Queue) *park.Park {
	c.park.Use(k, c)
	return &c.park
}
