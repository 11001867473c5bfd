package core

import "github.com/godapl/godapl/internal/hca/soft/progress"

// RunTx does what there is to do on the send side, or leaves word for whoever
// is at it.
func (q *QP) RunTx() {
	if t := q.Transport(); t != nil {
		t.RunSend()
	} else {
		q.runAlone()
	}
}

// LetGo lets go of tx for who was inside for another reason than to send, and then has
// done what others have left word for.
func (q *QP) LetGo() {
	marked := false
	for q.Tx.Leave() {
		marked = true
	}
	if marked {
		q.RunTx()
	}
}

// runAlone is RunTx for a queue pair that is not connected: it flushes what was posted
// behind its end.
func (q *QP) runAlone() {
	if !q.Tx.Enter() {
		return
	}
	var af Deferred
	for again := true; again; again = q.Tx.Leave() {
		if q.Transport() == nil && q.SendTurn() == TurnOver && q.Flushable() {
			q.FlushSend(&af)
			if !q.Flush.recv {
				q.Flush.recv = true
				q.FlushRecv(&Receive{}, false, &af)
			}
		}
	}
	af.Finish()
	if t := q.Transport(); t != nil {
		t.RunSend() // it is connected by now, and what was left word for is its
	}
}

// What the sending half has to do.
type sendTurn uint8

const (
	TurnNone sendTurn = iota
	TurnSend          // start and complete requests
	TurnOver          // flush
)

// SendTurn begins a turn of the sending half. The caller is inside tx.
func (q *QP) SendTurn() sendTurn {
	q.DrainInbox()
	switch q.State.Load() {
	case StateOver:
		return TurnOver
	case StateReady, StateClosing:
		if !q.Reporting {
			return TurnSend
		}
	}
	return TurnNone
}

// Flushable tells whether the send side can be flushed now. If it cannot, it is asked again
// when it can. The caller is inside tx, and the state is over.
func (q *QP) Flushable() bool {
	if q.Reporting {
		return false // established has yet to be reported
	}
	if !q.bindsOver() {
		q.Adapter.Engine.Schedule(q)
		return false
	}
	return true
}

// Queued, claim and run make a queue pair a runner of the engine.
func (q *QP) Queued() bool { return q.mark.CompareAndSwap(false, true) }

func (q *QP) Claim() { q.mark.Store(false) }

func (q *QP) Schedule() { q.Adapter.Engine.Schedule(q) }

func (q *QP) Run() bool { q.RunTx(); return false }

// PolledBy tells whether the completions of a queue pair go to a queue.
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
