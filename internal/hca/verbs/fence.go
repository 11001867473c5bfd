package verbs

import (
	"slices"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// Fences of devices that lose them are kept here: a fenced request, and all
// behind it, waits until no read or atomic is under way, and is given to the
// device then. Linux's software devices need that (rxe.go, siw.go). So waits what
// siw is not to send yet (rouse.go).

// fenced tells whether a request has to wait here.
func (q *qp) fenced(wr *hca.SendWR) bool {
	return q.ad.softFence && wr.Flags&hca.Fence != 0 && q.send.reads.Load() > 0 || q.mum.Load() && !q.heard()
}

// hold accepts a request that was built, and keeps it. A bind would have to
// say its key now, and only the device knows it.
func (q *qp) hold(wr *hca.SendWR) error {
	if wr.Op == hca.OpBind {
		return hca.NewError(hca.QueueFull, "PostSend", "bind", "a request before it waits behind a fence: post it again later")
	}
	held := *wr
	held.More = slices.Clone(wr.More)
	q.backlog = append(q.backlog, held)
	q.waiting.Store(true)
	q.send.head.Add(1)
	return nil
}

// release gives the device what waits no longer. It is called when completions
// have been taken out.
func (q *qp) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.state != connected && q.state != draining {
		q.backlog = nil // it is flushed
	}
	for len(q.backlog) > 0 && !q.fenced(&q.backlog[0]) {
		n := 0
		for n < len(q.backlog) && n < len(q.args.wrs.S) && (n == 0 || q.backlog[n].Flags&hca.Fence == 0) {
			if q.build(q.send.given.Load(), n, &q.backlog[n]) != nil {
				break // its window or region has gone since: see below
			}
			n++
		}
		k := 0
		if n > 0 {
			k, _ = q.hand(n, q.backlog[:n])
		}
		if k < n || n == 0 {
			// The device does not take what was accepted: the connection cannot go on.
			q.backlog = nil
			if q.cause == nil && !q.asked {
				q.cause = explainWork(hca.OpNone, ibv.WCLocQPOpErr, 0, q.info.Remote)
			}
			q.begin(ending)
			break
		}
		q.backlog = slices.Delete(q.backlog, 0, n)
	}
	q.waiting.Store(len(q.backlog) > 0)
}
