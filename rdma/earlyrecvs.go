package rdma

import (
	"github.com/godapl/godapl/internal/hca"
)

// An early receive is one that is posted while the endpoint has no queue pair. The endpoint keeps
// it and posts it when it creates the queue pair.

// postEarlyRecv keeps a receive. It reports false if a queue pair was created meanwhile; the caller
// then posts on that.
func (e *Endpoint) postEarlyRecv(r *Recv) (done bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if sess := e.session.Load(); sess != nil && !sess.reset.Load() {
		return false, nil
	}
	if e.State() == StateClosed {
		return true, e.closedError("post receive")
	}
	if e.cfg.SharedReceives != nil {
		return true, e.sharedReceiveError()
	}
	if len(e.earlyRecvs) >= e.cfg.RecvDepth {
		return true, hca.NewError(hca.QueueFull, "post receive", e.object(),
			hca.CountIs(len(e.earlyRecvs), "receive")+" posted already, which is its RecvDepth")
	}
	var wr hca.RecvWR
	var list []hca.Segment // kept with the receive
	if err := fillRecv(&wr, r, e.cfg.Zone, e.cfg.RecvSegments, &list); err != nil {
		return true, hca.Named(err, "post receive", e.object())
	}
	e.earlyRecvs = append(e.earlyRecvs, wr)
	return true, nil
}

func (e *Endpoint) sharedReceiveError() error {
	return hca.NewError(hca.State, "post receive", e.object(), "its receives come from a shared receive queue; post there")
}

// postEarlyRecvs posts the early receives on a new queue pair. A receive that the queue pair refuses,
// which is not expected, completes with an error. The caller holds e.mu.
func (e *Endpoint) postEarlyRecvs(sess *session) {
	if len(e.earlyRecvs) == 0 {
		return
	}
	n, err := sess.qp.PostRecvs(e.earlyRecvs)
	if err != nil {
		e.adapter.log.Error("rdma: receives posted before the connection were refused", "err", err)
		for i := range e.earlyRecvs[n:] {
			c := Completion{Endpoint: e, Cookie: e.earlyRecvs[n+i].ID, Op: OpRecv, Status: StatusLocalEndpoint}
			if !sess.holdback.hold(e.recvQ, &c) {
				e.recvQ.stash(&c)
			}
		}
	}
	e.earlyRecvs = nil
}

// flushEarlyRecvs completes receives that were never posted on a queue pair.
func (e *Endpoint) flushEarlyRecvs(wrs []hca.RecvWR) {
	e.counters.Lock()
	e.past.Completions[StatusFlushed] += uint64(len(wrs))
	e.counters.Unlock()
	for i := range wrs {
		e.recvQ.stash(&Completion{Endpoint: e, Cookie: wrs[i].ID, Op: OpRecv, Status: StatusFlushed})
	}
}
