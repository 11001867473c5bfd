package core

import (
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/hca/soft/receives"
)

// RunTx runs the send half, or marks the gate for the goroutine inside.
func (q *QP) RunTx() {
	if t := q.Transport(); t != nil {
		t.RunSend()
	} else {
		q.runUnconnected()
	}
}

// LeaveTx leaves tx for a caller that was inside for another reason than to send, and then runs the work that
// others have marked.
func (q *QP) LeaveTx() {
	marked := false
	for q.Tx.Leave() {
		marked = true
	}
	if marked {
		q.RunTx()
	}
}

// runUnconnected is RunTx for a queue pair that is not connected: it flushes what is posted after the end.
func (q *QP) runUnconnected() {
	if !q.Tx.Enter() {
		return
	}
	var deferred Deferred
	for again := true; again; again = q.Tx.Leave() {
		if q.Transport() == nil && q.BeginRun() == WorkFlush && q.Flushable() {
			q.FlushSend(&deferred)
			if !q.Flush.recv {
				q.Flush.recv = true
				q.FlushRecv(&receives.Receive{}, false, &deferred)
			}
		}
	}
	deferred.Finish()
	if t := q.Transport(); t != nil {
		t.RunSend() // it is connected by now, and the marked work is the transport's
	}
}

// What the send half has to do.
type SendWork uint8

const (
	WorkNone  SendWork = iota
	WorkSend           // start and complete requests
	WorkFlush          // flush
)

// BeginRun begins a run of the send half, and returns what it has to do. The caller is inside tx.
func (q *QP) BeginRun() SendWork {
	q.DrainInbox()
	switch q.State.Load() {
	case StateOver:
		return WorkFlush
	case StateReady, StateClosing:
		if !q.Reporting {
			return WorkSend
		}
	}
	return WorkNone
}

// Flushable reports whether the requests can be flushed now. If not, it is called again when they may be. The
// caller is inside tx, and the state is StateOver.
func (q *QP) Flushable() bool {
	if q.Reporting {
		return false // the established event is not reported yet
	}
	if !q.bindsOver() {
		q.Adapter.Engine.Schedule(q)
		return false
	}
	return true
}

// Queued, Claim and Run implement progress.Runner.
func (q *QP) Queued() bool { return q.mark.CompareAndSwap(false, true) }
func (q *QP) Claim()       { q.mark.Store(false) }
func (q *QP) Schedule()    { q.Adapter.Engine.Schedule(q) }
func (q *QP) Run() bool    { q.RunTx(); return false }

// PolledBy reports whether a consumer polls a completion queue of the queue pair.
func (q *QP) PolledBy(c *progress.Consumer) bool {
	return c == &q.SendCQ.consumer || c == &q.RecvCQ.consumer
}

func (q *QP) Concerns(c *progress.Consumer) bool {
	if q.PolledBy(c) {
		return true
	}
	t := q.Transport()
	return t != nil && t.Concerns(c)
}
