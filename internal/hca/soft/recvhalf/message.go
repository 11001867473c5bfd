package recvhalf

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/hca/soft/receives"
)

// A Message is where the bytes of an arriving message go: the receive that it fills, or the wait for one. The
// receive half of a path embeds it. q is the queue pair that receives.
type Message struct {
	Cur    receives.Receive
	HasCur bool // Cur was taken, and is not complete yet
	Stall  progress.WaitTimer
}

// NeedReceive takes a receive, unless the message has one. MustWait: none is posted. Then either a post calls
// the transport's ReceivePosted, or the alarm is scheduled when the time is over. Failed: it is over.
func (m *Message) NeedReceive(q *core.QP, a progress.Alarm) core.Outcome {
	switch {
	case m.HasCur:
		return core.Handled
	case q.NextReceive(&m.Cur):
		m.Unstall(q, true)
		m.HasCur = true
		return core.Handled
	case m.Stall.On:
	default:
		q.WaitBegins()
	}
	if m.Stall.Begin(q.Adapter.ReceiveWait, a) {
		return core.MustWait
	}
	return core.Failed
}

// Unstall ends the wait for a receive, which was found or not.
func (m *Message) Unstall(q *core.QP, found bool) {
	if m.Stall.On {
		m.Stall.Clear()
		q.WaitEnds(found)
	}
}

// Misfit reports why the receive cannot take a message of n bytes: the status with which the receive ends, and
// that of the sender's request. StatusOK: it can.
func (m *Message) Misfit(q *core.QP, n uint64) (ours, theirs hca.Status) {
	switch {
	case n > m.Cur.Room():
		return hca.StatusLocalLength, hca.StatusRemoteInvalid
	case n > 0 && !core.LocalAll(q.PD, m.Cur.Local, m.Cur.More, hca.LocalWrite):
		return hca.StatusLocalProtection, hca.StatusRemoteOp
	}
	return hca.StatusOK, hca.StatusOK
}

// Place copies bytes of the message into the receive, at offset off. It returns false if its memory is not
// usable any more.
func (m *Message) Place(q *core.QP, off uint64, b []byte) bool {
	return q.Scatter(m.Cur.Local, m.Cur.More, off, b, hca.OpRecv)
}

// Complete completes the receive with a whole message.
func (m *Message) Complete(q *core.QP, op hca.Op, n uint64, imm uint32, key hca.Key, solicited bool, deferred *core.Deferred) {
	m.HasCur = false
	q.Received(&m.Cur, op, hca.StatusOK, n, imm, key, solicited, deferred)
}

// Fail completes the receive in error. The caller then ends the connection.
func (m *Message) Fail(q *core.QP, status hca.Status, deferred *core.Deferred) {
	m.HasCur = false
	q.Received(&m.Cur, hca.OpRecv, status, 0, 0, 0, false, deferred)
}

// Flush completes the receive of an incomplete message, and all others of q, as flushed. q is in StateOver.
func (m *Message) Flush(q *core.QP, deferred *core.Deferred) {
	m.Stall.Clear()
	q.WaitEnds(false)
	had := m.HasCur
	m.HasCur = false
	q.FlushRecv(&m.Cur, had, deferred)
}
