package core

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
)

var ErrSendFull = hca.NewError(hca.QueueFull, "post", "", "as many requests as the queue is deep are under way, or the completions that nobody has taken fill their queue: take completions, or make the queue deeper (SendDepth)")

var errPostClosed = hca.NewError(hca.Closed, "post", "", "the endpoint has been closed")

// checkSend checks what depends on the request alone.
func (q *QP) checkSend(wr *hca.SendWR) error {
	if len(wr.More) > 0 {
		limit := q.sendSGE
		if 1+len(wr.More) > limit {
			return hca.NewError(hca.Invalid, "post "+wr.Op.String(), "", fmt.Sprintf("%d segments, but at most %d are possible", 1+len(wr.More), limit))
		}
		if total(wr) > q.Adapter.Attrs.MaxMessage {
			return hca.NewError(hca.Length, "post "+wr.Op.String(), "", fmt.Sprintf("%d bytes, but at most %d are possible", total(wr), q.Adapter.Attrs.MaxMessage))
		}
	} else if uint64(wr.Local.Len) > q.Adapter.Attrs.MaxMessage {
		return hca.NewError(hca.Length, "post "+wr.Op.String(), "", fmt.Sprintf("%d bytes, but at most %d are possible", wr.Local.Len, q.Adapter.Attrs.MaxMessage))
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

func (q *QP) checkCaps(op hca.Op) error {
	if t := q.Transport(); t != nil {
		return t.CheckCaps(op)
	}
	return nil
}

var stateNames = [...]string{StateNew: "unconnected", StateOpening: "connecting", StateReady: "connected", StateClosing: "disconnecting", StateOver: "disconnected"}

// checkState decides whether the state allows a post.
func (q *QP) checkState(op hca.Op) error {
	switch st := q.State.Load(); st {
	case StateReady:
	case StateOver:
		if q.gone.Load() {
			return errPostClosed
		}
	default:
		return hca.NewError(hca.State, "post "+op.String(), "", "the endpoint is "+stateNames[st])
	}
	return nil
}

// PostSend calls the transport, if there is one. Without a connection, a request is refused or, after the end,
// flushed.
func (q *QP) PostSend(wr hca.SendWR) error {
	if t := q.Transport(); t != nil {
		return t.PostSend(wr)
	}
	inside, err := q.Admit(&wr)
	if err != nil {
		return err
	}
	q.enqueueAlone(&wr, inside)
	return nil
}

// enqueueAlone queues a counted request of a queue pair without a connection.
func (q *QP) enqueueAlone(wr *hca.SendWR, inside bool) {
	q.PutInInbox(wr)
	if inside {
		q.LetGo()
	}
	q.RunTx()
}

// PostSends is PostSend for a list.
func (q *QP) PostSends(wrs []hca.SendWR) (int, error) {
	if t := q.Transport(); t != nil {
		return t.PostSends(wrs)
	}
	for i := range wrs {
		if err := q.PostSend(wrs[i]); err != nil {
			return i, err
		}
	}
	return len(wrs), nil
}

// PostPlainSend and PostPlainWrite implement hca.PlainPoster.
func (q *QP) PostPlainSend(id uint64, flags hca.Flags, local hca.Segment) error {
	if t := q.Transport(); t != nil {
		return t.PostPlainSend(id, flags, local)
	}
	return q.PostSend(hca.SendWR{ID: id, Op: hca.OpSend, Flags: flags, Local: local})
}

func (q *QP) PostPlainWrite(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	if t := q.Transport(); t != nil {
		return t.PostPlainWrite(id, flags, local, remote, rkey)
	}
	return q.PostSend(hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey})
}

// Admit checks whether a request can be posted, and counts it. inside reports that the caller is inside tx. A
// bind gets its key here, before it is carried out.
func (q *QP) Admit(wr *hca.SendWR) (inside bool, err error) {
	if err := q.checkSend(wr); err != nil {
		return false, err
	}
	if err := q.checkState(wr.Op); err != nil {
		return false, err
	}
	if wr.Op != hca.OpBind {
		return q.CountPost()
	}
	if q.Tx.Count(q.Config.SendDepth, 1) == 0 && q.countMore(1, false) == 0 {
		return false, ErrSendFull
	}
	if err := q.checkBind(wr.Bind); err != nil {
		q.Tx.Uncount(1)
		return false, err
	}
	return q.Tx.TryEnter(), nil
}

// CountPost counts one post, and enters tx if it is free.
func (q *QP) CountPost() (inside bool, err error) {
	counted, inside := q.Tx.CountIn(int(q.SendDepth))
	if !counted {
		if counted, inside = q.CountBehind(); !counted {
			return false, ErrSendFull
		}
	}
	return inside, nil
}

// BeginPosts begins a batch of n posts. It counts fit of them. inside reports that the caller is inside tx.
func (q *QP) BeginPosts(n int) (fit int, inside bool) {
	if inside = q.Tx.TryEnter(); inside {
		q.DrainInbox()
	}
	fit = q.Tx.Count(q.Config.SendDepth, n)
	if fit < n {
		fit += q.countMore(n-fit, inside)
	}
	return fit, inside
}

// PostEach posts a batch of which fit requests are counted. If the caller is inside tx, start
// gets each of them; otherwise the inbox does. It returns how many were posted; the error
// belongs to the first one that was not.
func (q *QP) PostEach(wrs []hca.SendWR, fit int, inside bool, start func(wr *hca.SendWR)) (n int, err error) {
	for ; n < len(wrs); n++ {
		wr := &wrs[n]
		if err = q.checkPost(wr, n < fit); err != nil {
			break
		}
		if inside {
			start(wr)
		} else {
			q.PutInInbox(wr)
		}
	}
	if n < fit {
		q.Tx.Uncount(fit - n)
	}
	return n, err
}

// checkPost checks whether one request of a batch can be posted. room reports that it is counted.
func (q *QP) checkPost(wr *hca.SendWR, room bool) error {
	if err := q.checkSend(wr); err != nil {
		return err
	}
	if err := q.checkState(wr.Op); err != nil {
		return err
	}
	if !room {
		return ErrSendFull
	}
	if wr.Op == hca.OpBind {
		return q.checkBind(wr.Bind)
	}
	return nil
}

// PutInInbox puts a post into the inbox.
func (q *QP) PutInInbox(wr *hca.SendWR) {
	b := &q.inbox
	b.mu.Lock()
	w := *wr
	w.More = append([]hca.Segment(nil), wr.More...)
	b.list = append(b.list, w)
	q.Inboxed.Store(int32(len(b.list)))
	b.mu.Unlock()
}

// DrainInbox moves posts from the inbox to the queue. The caller is inside tx.
func (q *QP) DrainInbox() {
	if q.Inboxed.Load() == 0 {
		return
	}
	q.inbox.mu.Lock()
	for i := range q.inbox.list {
		q.SQ.Push(&q.inbox.list[i])
		q.inbox.list[i].More = nil
	}
	q.inbox.list = q.inbox.list[:0]
	q.Inboxed.Store(0)
	q.inbox.mu.Unlock()
}

func (q *QP) PostRecv(wr hca.RecvWR) error {
	if err := checkRecv(&wr, q.recvSGE); err != nil {
		return err
	}
	if q.SRQ != nil {
		return hca.NewError(hca.State, "post receive", "", "the endpoint takes its receives from a shared queue: post there")
	}
	if q.gone.Load() {
		return errPostClosed
	}
	r := q.RQ
	r.mu.Lock()
	if !r.count() {
		r.mu.Unlock()
		return errRecvFull
	}
	if q.rqDead && !q.RecvCQ.shared.Load() {
		r.posted--
		r.mu.Unlock()
		q.RecvCQ.share() // so far, only a goroutine inside the gate has filled the queue
		return q.PostRecv(wr)
	}
	if q.rqDead {
		var af Deferred
		q.Received(&Receive{ID: wr.ID, Flags: wr.Flags, Back: &r.back}, hca.OpRecv, hca.StatusFlushed, 0, 0, 0, false, &af)
		r.mu.UnlockFenced() // no gate is left here, so the barrier is needed
		af.do()
		return nil
	}
	r.put(&wr)
	r.mu.Unlock()
	if r.missing.Load() && r.missing.Swap(false) {
		q.receiveCame()
	}
	return nil
}

func (q *QP) PostRecvs(wrs []hca.RecvWR) (int, error) {
	for i := range wrs {
		if err := q.PostRecv(wrs[i]); err != nil {
			return i, err
		}
	}
	return len(wrs), nil
}

// receiveCame continues what waits for a receive of this queue pair. The caller is inside no gate and holds no
// lock.
func (q *QP) receiveCame() {
	if t := q.Transport(); t != nil {
		t.ReceivePosted()
	}
}
