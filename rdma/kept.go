package rdma

import (
	"github.com/godapl/godapl/internal/hca"
)

// Receives that are posted while there is no queue pair are kept here.

// postKept keeps a receive. It reports false if a queue pair was created meanwhile; the caller
// then posts on that.
func (e *Endpoint) postKept(r *Recv) (done bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.link.Load() != nil {
		return false, nil
	}
	if e.State() == StateClosed {
		return true, e.closedError("post receive")
	}
	if e.cfg.SharedReceives != nil {
		return true, e.sharedReceiveError()
	}
	if len(e.kept) >= e.cfg.RecvDepth {
		return true, hca.NewError(hca.QueueFull, "post receive", e.object(),
			hca.CountIs(len(e.kept), "receive")+" posted already, which is its RecvDepth")
	}
	var wr hca.RecvWR
	var list []hca.Segment // kept with the receive
	if err := lowerRecv(&wr, r, e.cfg.Zone, e.cfg.RecvSegments, &list); err != nil {
		return true, hca.Named(err, "post receive", e.object())
	}
	e.kept = append(e.kept, wr)
	return true, nil
}

func (e *Endpoint) sharedReceiveError() error {
	return hca.NewError(hca.State, "post receive", e.object(), "its receives come from a shared receive queue; post there")
}

// handOver posts the kept receives on a new queue pair. A receive that the queue pair refuses,
// which is not expected, completes with an error. The caller holds e.mu.
func (e *Endpoint) handOver(l *link) {
	if len(e.kept) == 0 {
		return
	}
	n, err := l.qp.PostRecvs(e.kept)
	if err != nil {
		e.adapter.log.Error("rdma: receives posted before the connection were refused", "err", err)
		for i := range e.kept[n:] {
			c := Completion{Endpoint: e, Cookie: e.kept[n+i].ID, Op: OpRecv, Status: StatusLocalEndpoint}
			if !l.line.hold(e.recvQ, &c) {
				e.recvQ.stash(&c)
			}
		}
	}
	e.kept = nil
}

// flushKept completes receives that were never posted on a queue pair.
func (e *Endpoint) flushKept(kept []hca.RecvWR) {
	for i := range kept {
		e.recvQ.stash(&Completion{Endpoint: e, Cookie: kept[i].ID, Op: OpRecv, Status: StatusFlushed})
	}
}
