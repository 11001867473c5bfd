package verbs

import (
	"slices"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// The adapter enforces fences for devices that lose them: a fenced request and all
// requests after it wait here until no read or atomic is under way. Linux's software
// devices need that (rxe.go, siw.go). Requests that siw must not send yet wait in the
// same queue (nudge.go).

// fenced reports whether a request must wait here.
func (q *qp) fenced(wr *hca.SendWR) bool {
	return q.ad.softFence && wr.Flags&hca.Fence != 0 && q.send.reads.Load() > 0 || q.quiet.Load() && !q.heard()
}

// hold accepts a request that was built, and keeps it. A bind cannot be held: it must
// return its key at once, and only the device knows the key.
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

// release gives the device the requests that need not wait any longer. It is called
// after completions were taken.
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
			// The device refuses a request that was accepted here: the connection
			// cannot continue.
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
	q.probeNow() // hand found a backlog
}
