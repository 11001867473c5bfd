package soft

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
)

var errSendFull = hca.NewError(hca.QueueFull, "post", "", "as many requests as the queue is deep are under way, or the completions that nobody has taken fill their queue: take completions, or make the queue deeper (SendDepth)")

var errPostClosed = hca.NewError(hca.Closed, "post", "", "the endpoint has been closed")

// checkSend looks at what can be told from the request alone.
func (q *qp) checkSend(wr *hca.SendWR) error {
	if len(wr.More) > 0 {
		limit := q.sendSGE
		if 1+len(wr.More) > limit {
			return hca.NewError(hca.Invalid, "post "+wr.Op.String(), "", fmt.Sprintf("%d segments, but at most %d are possible", 1+len(wr.More), limit))
		}
		if total(wr) > q.a.attr.MaxMessage {
			return hca.NewError(hca.Length, "post "+wr.Op.String(), "", fmt.Sprintf("%d bytes, but at most %d are possible", total(wr), q.a.attr.MaxMessage))
		}
	} else if uint64(wr.Local.Len) > q.a.attr.MaxMessage {
		return hca.NewError(hca.Length, "post "+wr.Op.String(), "", fmt.Sprintf("%d bytes, but at most %d are possible", wr.Local.Len, q.a.attr.MaxMessage))
	}
	switch wr.Op {
	case hca.OpSend, hca.OpWrite:
		return nil
	case hca.OpRead:
		return q.checkCaps(wr.Op)
	case hca.OpSendInvalidate, hca.OpSendImm, hca.OpWriteImm:
		return q.checkCaps(wr.Op)
	case hca.OpFetchAdd, hca.OpCompareSwap:
		if total(wr) != 8 {
			return hca.NewError(hca.Length, "post "+wr.Op.String(), "", "the former value needs 8 bytes")
		}
		return q.checkCaps(wr.Op)
	case hca.OpBind:
		wr.Local, wr.More = hca.Segment{}, nil
		return nil // checkBind follows once the post is certain
	}
	return hca.NewError(hca.Invalid, "post", "", fmt.Sprintf("%v cannot be posted", wr.Op))
}

func (q *qp) checkCaps(op hca.Op) error {
	if c := q.remote(); c != nil {
		return c.checkCaps(op)
	}
	return q.checkLoop(op)
}

var stateNames = [...]string{stNew: "unconnected", stOpening: "connecting", stReady: "connected", stClosing: "disconnecting", stOver: "disconnected"}

// admit decides whether the state allows a post.
func (q *qp) admit(op hca.Op) error {
	switch st := q.state.Load(); st {
	case stReady:
	case stOver:
		if q.gone.Load() {
			return errPostClosed
		}
	default:
		return hca.NewError(hca.State, "post "+op.String(), "", "the endpoint is "+stateNames[st])
	}
	return nil
}

func (q *qp) PostSend(wr hca.SendWR) error {
	if err := q.checkSend(&wr); err != nil {
		return err
	}
	if err := q.admit(wr.Op); err != nil {
		return err
	}
	if wr.Op == hca.OpBind {
		return q.postBind(&wr)
	}
	ok, inside := q.tx.countIn(int(q.sendDepth))
	if !ok {
		if ok, inside = q.countBehind(); !ok {
			return errSendFull
		}
	}
	q.enqueue(&wr, inside)
	return nil
}

// enqueue takes a counted request over, and does or starts it if the caller is
// inside tx.
func (q *qp) enqueue(wr *hca.SendWR, inside bool) {
	if !inside {
		q.leaveWord(wr)
		q.runTx()
		return
	}
	var af after
	if !q.atOnce(wr, &af) {
		q.empty()
		q.sq.push(wr)
		if c := q.conn.Load(); c == nil || !c.gather() {
			q.pump(&af)
		}
	}
	q.leave(&af)
}

// postBind is PostSend for binds, whose key is given out before they are done.
func (q *qp) postBind(wr *hca.SendWR) error {
	if q.tx.count(q.cfg.SendDepth, 1) == 0 && q.countMore(1, false) == 0 {
		return errSendFull
	}
	if err := q.checkBind(wr.Bind); err != nil {
		q.tx.uncount(1)
		return err
	}
	q.enqueue(wr, q.tx.tryEnter())
	return nil
}

func (q *qp) PostSends(wrs []hca.SendWR) (int, error) {
	var af after
	var err error
	n := 0
	inside := q.tx.tryEnter()
	if inside {
		q.empty()
	}
	fit := q.tx.count(q.cfg.SendDepth, len(wrs))
	if fit < len(wrs) {
		fit += q.countMore(len(wrs)-fit, inside)
	}
	if fit < len(wrs) && inside && q.shm.Load() != nil {
		q.pump(&af) // as lookForRoom
		fit += q.countLent(len(wrs) - fit)
	}
	for i := range wrs {
		wr := &wrs[i]
		if err = q.checkSend(wr); err != nil {
			break
		}
		if err = q.admit(wr.Op); err != nil {
			break
		}
		if n == fit {
			err = errSendFull
			break
		}
		if wr.Op == hca.OpBind {
			if err = q.checkBind(wr.Bind); err != nil {
				break
			}
		}
		n++
		switch {
		case !inside:
			q.leaveWord(wr)
		case !q.atOnce(wr, &af):
			q.sq.push(wr)
		}
	}
	if n < fit {
		q.tx.uncount(fit - n)
	}
	if inside {
		q.pump(&af)
		q.leave(&af)
	} else if n > 0 {
		q.runTx()
	}
	return n, err
}

// leaveWord puts a post into the inbox.
func (q *qp) leaveWord(wr *hca.SendWR) {
	b := &q.inbox
	b.mu.Lock()
	w := *wr
	w.More = append([]hca.Segment(nil), wr.More...)
	b.list = append(b.list, w)
	q.inboxed.Store(int32(len(b.list)))
	b.mu.Unlock()
}

// empty moves posts from the inbox to the queue. The caller is inside tx.
func (q *qp) empty() {
	if q.inboxed.Load() == 0 {
		return
	}
	q.inbox.mu.Lock()
	for i := range q.inbox.list {
		q.sq.push(&q.inbox.list[i])
		q.inbox.list[i].More = nil
	}
	q.inbox.list = q.inbox.list[:0]
	q.inboxed.Store(0)
	q.inbox.mu.Unlock()
}

func (q *qp) PostRecv(wr hca.RecvWR) error {
	if err := checkRecv(&wr, q.recvSGE); err != nil {
		return err
	}
	if q.srq != nil {
		return hca.NewError(hca.State, "post receive", "", "the endpoint takes its receives from a shared queue: post there")
	}
	if q.gone.Load() {
		return errPostClosed
	}
	r := q.rq
	r.mu.lock()
	if !r.count() {
		r.mu.unlock()
		return errRecvFull
	}
	if q.rqDead && !q.rcq.shared.Load() {
		r.posted--
		r.mu.unlock()
		q.rcq.share() // until now, the queue was for who is inside a gate alone
		return q.PostRecv(wr)
	}
	if q.rqDead {
		var af after
		q.received(&receive{id: wr.ID, flags: wr.Flags, back: &r.back}, hca.OpRecv, hca.StatusFlushed, 0, 0, 0, false, &af)
		r.mu.unlockFenced() // no gate is left here
		af.do()
		return nil
	}
	r.put(&wr)
	r.mu.unlock()
	if r.missing.Load() && r.missing.Swap(false) {
		q.receiveCame()
	}
	return nil
}

func (q *qp) PostRecvs(wrs []hca.RecvWR) (int, error) {
	for i := range wrs {
		if err := q.PostRecv(wrs[i]); err != nil {
			return i, err
		}
	}
	return len(wrs), nil
}

// receiveCame runs whoever waits for a receive of this queue pair. A sender in
// the process goes on at once, on this goroutine: to have the engine wake up for
// each receive would cost far more than a message does. The caller is inside no
// gate and holds no lock.
func (q *qp) receiveCame() {
	if p := q.peer.Load(); p != nil {
		p.runTx()
	} else if c := q.shm.Load(); c != nil {
		c.receiveCame()
	} else if c := q.conn.Load(); c != nil {
		c.receiveCame()
	}
}
