package core

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/rdma/status"
)

// The counters of a queue pair are ordinary words. A goroutine that completes something is inside the gate that
// guards it anyway; ReadStats enters the same gates to read them. An operation pays two additions to one cache
// line, and nothing if nobody reads.

var (
	_ hca.QPStatsReader = (*QP)(nil)
	_ hca.Settler       = (*QP)(nil)
	_ hca.CQStatsReader = (*CQ)(nil)
)

// sendCounts belongs to the send half; Tx guards it.
type sendCounts struct {
	ops    [16]hca.OpStats
	failed [16]uint64
	stalls progress.WaitCount
}

// recvCounts belongs to the receive half. The gate inside which receives complete guards it; after the flush,
// receives that are posted late complete under RQ.Mu.
type recvCounts struct {
	ops    [4]hca.OpStats // by Op, from OpRecv on
	failed [16]uint64
	waits  progress.WaitCount
}

// CountSent counts a request that succeeded. The caller is inside tx.
func (q *QP) CountSent(op hca.Op, n uint64) {
	c := &q.sent.ops[op&15]
	c.N++
	c.Bytes += n
}

// StallBegins counts that the transport has no room. The caller is inside tx.
func (q *QP) StallBegins() {
	q.sent.stalls.Begin()
	if f := q.flight; f != nil {
		f.Sent.Note(f.Clock, status.FlightStall)
	}
}

// StallMoves notes that the transport has taken something and has no room again: the same stall, of which the
// time begins anew. The caller is inside tx.
func (q *QP) StallMoves() {
	q.sent.stalls.Again()
}

// StallEnds ends the stall, if there is one. The caller is inside tx.
func (q *QP) StallEnds() { q.sent.stalls.End() }

// CountReceived counts a receive that succeeded. The caller is inside the gate of the receive half.
func (q *QP) CountReceived(op hca.Op, n uint64) {
	c := &q.received.ops[(op-hca.OpRecv)&3]
	c.N++
	c.Bytes += n
}

// WaitBegins and WaitEnds count a message that waits for a receive. The caller is inside the gate of the receive
// half.
func (q *QP) WaitBegins() {
	q.received.waits.Begin()
	if f := q.flight; f != nil {
		f.Received.Note(f.Clock, status.FlightReceiveMissing)
	}
}

func (q *QP) WaitEnds(found bool) {
	if f := q.flight; q.received.waits.End() && found && f != nil {
		f.Received.Note(f.Clock, status.FlightReceiveFound)
	}
}

// ReadStats implements hca.QPStatsReader.
func (q *QP) ReadStats(s *hca.QPStats, p *hca.Patience) bool {
	if !p.Enter(q.Tx.TryEnter) {
		return false
	}
	sent, high, latency := q.sent, q.SQ.High, q.SQ.times.Read()
	requests := int(q.SQ.Tail-q.SQ.Head) + int(q.Inboxed.Load())
	t, early := q.Transport(), q.Flush.recv
	var received recvCounts
	if t == nil && early { // never connected and flushed: nothing but a late post completes receives now
		received = q.readReceived()
	}
	q.LeaveTx()
	if t != nil {
		if !p.Enter(t.TryReceiving) {
			return false
		}
		received = q.readReceived()
		t.LeaveReceiving()
	}
	*s = hca.QPStats{Ops: sent.ops, Failed: sent.failed, SendHigh: high, Latency: latency, SendStalls: sent.stalls.N, ReceiveWaits: received.waits.N, Requests: requests}
	if q.SRQ == nil {
		s.Receives = q.RQ.Len()
	}
	s.SendStall, s.SendStallNow = sent.stalls.Read()
	s.ReceiveWait, s.ReceiveWaitNow = received.waits.Read()
	copy(s.Ops[hca.OpRecv:], received.ops[:])
	for i, n := range received.failed {
		s.Failed[i] += n
	}
	if r, ok := t.(interface{ Retransmits() (uint64, bool) }); ok {
		s.Retransmits, s.Resends = r.Retransmits()
	}
	return true
}

// Settle implements hca.Settler.
func (q *QP) Settle(*hca.Patience) {
	if t := q.Transport(); t != nil {
		t.MakeRoom()
	}
}

// readReceived copies the counters of the receive half. The caller is inside its gate.
func (q *QP) readReceived() recvCounts {
	q.RQ.Mu.Lock()
	defer q.RQ.Mu.Unlock()
	return q.received
}
