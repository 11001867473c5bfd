package rdma

import (
	"context"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/wait"
	"github.com/godapl/godapl/rdma/mem"
)

// Requests that the library posts for a waiting caller carry hca.Private and the number of the
// pendingOp. The goroutine that drains the queue delivers their completions to it.

// pendingBurst is how often a caller polls before it parks.
const pendingBurst = 64

// pendingOp is an operation with a waiting caller, or a bind, whose completion needs more data than
// a queue entry holds.
type pendingOp struct {
	table *pendingOps
	q     *CompletionQueue
	id    uint64
	cell  wait.Cell
	done  atomic.Bool
	c     Completion // valid once done
	// unarmed: the queue could not be armed the last time. The caller's own.
	unarmed bool

	// Guarded by pendingOps.mu.
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

// look polls the queue, and reports whether the completion has arrived.
func (p *pendingOp) look() bool {
	if p.done.Load() {
		return true
	}
	p.q.pump()
	return p.done.Load()
}

// Look and Arm implement wait.Waitable. The wait also ends when the dispatcher is full, since the completion may be in the
// adapter's queue already, and when the queue could not be armed: nobody wakes the caller then.
func (p *pendingOp) Look() bool { return p.look() || p.q.short() || p.unarmed }

func (p *pendingOp) Arm() { p.unarmed = p.q.arm() != nil }

// pendingUnwoken is a pendingOp that nobody may wake: it waits for its completion alone.
type pendingUnwoken pendingOp

func (p *pendingUnwoken) Look() bool { return (*pendingOp)(p).look() }

func (p *pendingUnwoken) Arm() { (*pendingOp)(p).Arm() }

// await waits for the completion and reports whether it has arrived. If it has, the caller
// frees p with close. If not, ctx was done first: the operation continues, and the table owns
// p.
func (p *pendingOp) await(ctx context.Context) bool {
	for out := wait.Timeout; out == wait.Timeout && (p.q.nothing() || !p.look()); {
		out = p.q.sleep(&p.cell, p, wait.Options{
			Context: ctx, Burst: pendingBurst, Pace: &p.q.pace, Steady: p.q.steady(), Crowd: &p.q.adapter.crowd, Looked: true, Parker: p.q.callParks,
		})
		if out == wait.Ready && !p.done.Load() {
			out = p.q.sleep(&p.cell, (*pendingUnwoken)(p), wait.Options{Done: ctx.Done(), Timeout: retryInterval})
		}
	}
	if p.done.Load() {
		return true // nobody else uses p any more
	}
	t := p.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.done.Load() {
		return true
	}
	t.abandon(p)
	return false
}

// opError is the error of a completion. For a flushed operation it is the cause of
// the connection's end.
func (sess *session) opError(ctx context.Context, op string, c *Completion) error {
	if c.Status == StatusOK {
		return nil
	}
	if c.Status != StatusFlushed {
		return sess.refused(op, workError(c, ""))
	}
	select {
	case <-sess.ended: // at once, as its last completion is here
	case <-ctx.Done():
	}
	e := &hca.Error{Op: op, Object: sess.object(), Code: hca.Work, Status: StatusFlushed}
	if conn := sess.conn.Load(); conn != nil {
		if cause, ok := context.Cause(conn.ctx).(*hca.Error); ok {
			e.Code, e.Err = cause.Code, cause
		}
	}
	return e
}
