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
	if t := q.transport(); t != nil {
		return t.checkCaps(op)
	}
	return nil
}

var stateNames = [...]string{stNew: "unconnected", stOpening: "connecting", stReady: "connected", stClosing: "disconnecting", stOver: "disconnected"}

// checkState decides whether the state allows a post.
func (q *qp) checkState(op hca.Op) error {
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

// PostSend is the transport's, if there is one. Without a connection, requests are
// refused, or, behind its end, flushed.
func (q *qp) PostSend(wr hca.SendWR) error {
	if t := q.transport(); t != nil {
		return t.PostSend(wr)
	}
	inside, err := q.admit(&wr)
	if err != nil {
		return err
	}
	q.enqueueAlone(&wr, inside)
	return nil
}

// enqueueAlone takes a counted request over without a connection.
func (q *qp) enqueueAlone(wr *hca.SendWR, inside bool) {
	q.leaveWord(wr)
	if inside {
		q.leave()
	}
	q.runTx()
}

// PostSends is as PostSend.
func (q *qp) PostSends(wrs []hca.SendWR) (int, error) {
	if t := q.transport(); t != nil {
		return t.PostSends(wrs)
	}
	for i := range wrs {
		if err := q.PostSend(wrs[i]); err != nil {
			return i, err
		}
	}
	return len(wrs), nil
}

// PostPlainSend and PostPlainWrite implement hca.PlainPoster, as PostSend.
func (q *qp) PostPlainSend(id uint64, flags hca.Flags, local hca.Segment) error {
	if t := q.transport(); t != nil {
		return t.PostPlainSend(id, flags, local)
	}
	return q.PostSend(hca.SendWR{ID: id, Op: hca.OpSend, Flags: flags, Local: local})
}

func (q *qp) PostPlainWrite(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	if t := q.transport(); t != nil {
		return t.PostPlainWrite(id, flags, local, remote, rkey)
	}
	return q.PostSend(hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey})
}

// admit decides whether a request can be posted, and counts it if so. inside tells that the
// caller is inside tx. A bind's key is given out before it is done.
func (q *qp) admit(wr *hca.SendWR) (inside bool, err error) {
	if err := q.checkSend(wr); err != nil {
		return false, err
	}
	if err := q.checkState(wr.Op); err != nil {
		return false, err
	}
	if wr.Op != hca.OpBind {
		return q.countPost()
	}
	if q.tx.count(q.cfg.SendDepth, 1) == 0 && q.countMore(1, false) == 0 {
		return false, errSendFull
	}
	if err := q.checkBind(wr.Bind); err != nil {
		q.tx.uncount(1)
		return false, err
	}
	return q.tx.tryEnter(), nil
}

// countPost counts one post, and takes tx along if it is free.
func (q *qp) countPost() (inside bool, err error) {
	counted, inside := q.tx.countIn(int(q.sendDepth))
	if !counted {
		if counted, inside = q.countBehind(); !counted {
			return false, errSendFull
		}
	}
	return inside, nil
}

// beginPosts begins a batch of n posts. fit is how many of them are counted, and inside
// tells that the caller is inside tx.
func (q *qp) beginPosts(n int) (fit int, inside bool) {
	if inside = q.tx.tryEnter(); inside {
		q.empty()
	}
	fit = q.tx.count(q.cfg.SendDepth, n)
	if fit < n {
		fit += q.countMore(n-fit, inside)
	}
	return fit, inside
}

// checkPost decides whether one of a batch can be posted. room tells that it is counted.
func (q *qp) checkPost(wr *hca.SendWR, room bool) error {
	if err := q.checkSend(wr); err != nil {
		return err
	}
	if err := q.checkState(wr.Op); err != nil {
		return err
	}
	if !room {
		return errSendFull
	}
	if wr.Op == hca.OpBind {
		return q.checkBind(wr.Bind)
	}
	return nil
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

// receiveCame runs whoever waits for a receive of this queue pair. The caller is inside no
// gate and holds no lock.
func (q *qp) receiveCame() {
	if t := q.transport(); t != nil {
		t.receivePosted()
	}
}
