package core

import (
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/flight"
	"github.com/godapl/godapl/rdma/status"
)

var _ hca.FlightReader = (*QP)(nil)

// flightClock is the clock of the recorders, which runs from the first of them until the adapter closes.
func (a *Adapter) flightClock() *flight.Clock {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ticking && !a.closing {
		a.ticking = true
		done := a.Background.Context()
		a.Background.Go("flight", func() { a.clock.Run(done) })
	}
	return &a.clock
}

// recordSent records a request that succeeded, and how long it took. The caller is inside tx.
func (q *QP) recordSent(id uint64, op hca.Op, n uint64) {
	if q.recorded {
		q.recordOne(id, op, n)
	}
}

func (q *QP) recordOne(id uint64, op hca.Op, n uint64) {
	if f := q.flight; f != nil {
		f.Sent.Completed(f.Clock, op, hca.StatusOK, id, n)
	}
	if t := q.SQ.times; t != nil {
		t.Done(q.SQ.Head, q.SQ.Empty(), op)
	}
}

// RecordReceived records a receive that succeeded. The caller is inside the gate of the receive half.
func (q *QP) RecordReceived(id uint64, op hca.Op, n uint64) {
	if f := q.flight; f != nil {
		f.Received.Completed(f.Clock, op, hca.StatusOK, id, n)
	}
}

// countFailed counts a request that failed or was flushed. The caller is inside tx. The time is exact: it tells
// what came first, the failure or the end.
func (q *QP) countFailed(id uint64, op hca.Op, status hca.Status) {
	q.sent.failed[status&15]++
	if f := q.flight; f != nil {
		f.Sent.Completed(nil, op, status, id, 0)
	}
}

// countReceiveFailed is that for a receive. For the caller see recvCounts.
func (q *QP) countReceiveFailed(id uint64, op hca.Op, status hca.Status) {
	q.received.failed[status&15]++
	if f := q.flight; f != nil {
		f.Received.Completed(nil, op, status, id, 0)
	}
}

// ReadFlight implements hca.FlightReader.
func (q *QP) ReadFlight(p *hca.Patience) (requests, receives, outstanding hca.Flight, ok bool) {
	if q.flight == nil {
		return nil, nil, nil, true
	}
	if !p.Enter(q.Tx.TryEnter) {
		return nil, nil, nil, false
	}
	requests = q.flight.Sent.Events()
	for i, now := q.SQ.Head, time.Now(); i != q.SQ.Tail && len(outstanding) < hca.MaxOutstanding; i++ {
		r := q.SQ.At(i)
		outstanding = append(outstanding, status.FlightEvent{Time: now, Kind: status.FlightOutstanding, Op: r.WR.Op, Cookie: r.WR.ID, Length: r.Total})
	}
	t, early := q.Transport(), q.Flush.recv
	if t == nil && early { // as in ReadStats
		receives = q.flightReceived()
	}
	q.LeaveTx()
	if t != nil {
		if !p.Enter(t.TryReceiving) {
			return requests, nil, outstanding, false
		}
		receives = q.flightReceived()
		t.LeaveReceiving()
	}
	return requests, receives, outstanding, true
}

// flightReceived returns the events of the receive half. The caller is inside its gate.
func (q *QP) flightReceived() hca.Flight {
	q.RQ.Mu.Lock()
	defer q.RQ.Mu.Unlock()
	return q.flight.Received.Events()
}
