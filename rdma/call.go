package rdma

import (
	"context"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/wait"
	"github.com/godapl/godapl/rdma/mem"
)

// Requests that the library posts for a waiting call carry hca.Private and the number of the
// call. The goroutine that drains the queue delivers their completions to the call.

// callBurst is how often a call polls before it parks.
const callBurst = 64

// call is an operation with a waiting caller, or a bind, whose completion needs more data than
// a queue entry holds.
type call struct {
	table *callTable
	q     *CompletionQueue
	id    uint64
	cell  wait.Cell
	done  atomic.Bool
	c     Completion // valid once done

	// Guarded by callTable.mu.
	bind      bool
	quiet     bool // a bind whose success leaves no completion
	cookie    uint64
	window    *mem.Window
	abandoned bool
	recv      bool
	seq       uint64
	into      mem.Slice  // of a receive
	lent      mem.Slice  // memory of the library
	lender    *slicePool // where lent goes back
}

// Look and Arm implement wait.Waitable.
func (k *call) Look() bool {
	if k.done.Load() {
		return true
	}
	k.q.pump()
	return k.done.Load()
}

func (k *call) Arm() { k.q.arm() }

// await waits for the completion and reports whether it has arrived. If it has, the caller
// ends the call with close. If not, ctx was done first: the operation continues, and the table
// owns the call.
func (k *call) await(ctx context.Context) bool {
	if !k.Look() {
		k.q.sleep(&k.cell, k, wait.Options{Done: ctx.Done(), Burst: callBurst})
	}
	t := k.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if k.done.Load() {
		return true
	}
	t.abandon(k)
	return false
}

// callError is the error of a call's completion. For a flushed operation it is the cause of
// the connection's end.
func (l *link) callError(ctx context.Context, op string, c *Completion) error {
	if c.Status == StatusOK {
		return nil
	}
	if c.Status != StatusFlushed {
		return l.refused(op, workError(c, ""))
	}
	select {
	case <-l.ended: // at once, as its last completion is here
	case <-ctx.Done():
	}
	e := &hca.Error{Op: op, Object: l.object(), Code: hca.Work, Status: StatusFlushed}
	if conn := l.conn.Load(); conn != nil {
		if cause, ok := context.Cause(conn.ctx).(*hca.Error); ok {
			e.Code, e.Err = cause.Code, cause
		}
	}
	return e
}
