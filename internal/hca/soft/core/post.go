package core

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/ops"
)

var ErrSendFull = hca.NewError(hca.QueueFull, "post", "", "as many requests as the queue is deep are under way, or the completions that nobody has taken fill their queue: take completions, or make the queue deeper (SendDepth)")

var errPostClosed = hca.NewError(hca.Closed, "post", "", "the endpoint has been closed")

// checkSend checks what depends on the request alone.
func (q *QP) checkSend(wr *hca.SendWR) error {
	if n := 1 + len(wr.More); n > q.sendSGE {
		return hca.NewError(hca.Invalid, "post "+wr.Op.String(), "", fmt.Sprintf("%d segments, but at most %d are possible", n, q.sendSGE))
	}
	if n, most := total(wr), q.Adapter.Attrs.MaxMessage; n > most {
		return hca.NewError(hca.Length, "post "+wr.Op.String(), "", fmt.Sprintf("%d bytes, but at most %d are possible", n, most))
	}
	row := ops.Of(wr.Op)
	switch {
	case !ops.Posted(wr.Op):
		return hca.NewError(hca.Invalid, "post", "", fmt.Sprintf("%v cannot be posted", wr.Op))
	case row.Local == 0:
		wr.Local, wr.More = hca.Segment{}, nil // checkBind follows once the post is certain
	case row.Size != 0 && total(wr) != row.Size:
		return hca.NewError(hca.Length, "post "+wr.Op.String(), "", fmt.Sprintf("the former value needs %d bytes", row.Size))
	}
	if row.Needs != 0 || row.Response {
		return q.checkCaps(wr.Op)
	}
	return nil
}

func (q *QP) checkCaps(op hca.Op) error {
	if t := q.Transport(); t != nil && q.State.Load() != StateOver { // after the end it is flushed
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
		if q.Gone.Load() {
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
	q.SQ.times.Begin()
	if t := q.Transport(); t != nil {
		return t.PostSend(wr)
	}
	inside, err := q.Admit(&wr)
	if err != nil {
		return err
	}
	q.enqueueUnconnected(&wr, inside)
	return nil
}

// enqueueUnconnected queues a counted request of a queue pair without a connection.
func (q *QP) enqueueUnconnected(wr *hca.SendWR, inside bool) {
	q.PutInInbox(wr)
	if inside {
		q.LeaveTx()
	}
	q.RunTx()
}

// PostSends is PostSend for a list.
func (q *QP) PostSends(wrs []hca.SendWR) (int, error) {
	q.SQ.times.Begin()
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
	q.SQ.times.Begin()
	if t := q.Transport(); t != nil {
		return t.PostPlainSend(id, flags, local)
	}
	return q.PostSend(hca.SendWR{ID: id, Op: hca.OpSend, Flags: flags, Local: local})
}

func (q *QP) PostPlainWrite(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	q.SQ.times.Begin()
	if t := q.Transport(); t != nil {
		return t.PostPlainWrite(id, flags, local, remote, rkey)
	}
	return q.PostSend(hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey})
}

// Admit checks whether a request can be posted, and counts it. inside reports that the caller is inside tx. A
// bind gets its key here, before it is carried out.
func (q *QP) Admit(wr *hca.SendWR) (inside bool, err error) {
	if err := q.check(wr); err != nil {
		return false, err
	}
	if wr.Op != hca.OpBind {
		return q.CountPost()
	}
	if q.Tx.Count(q.Config.SendDepth, 1) == 0 && q.countMore(1) == 0 {
		return false, ErrSendFull
	}
	if err := q.checkBind(wr.Bind); err != nil {
		q.Tx.Uncount(1)
		return false, err
	}
	return q.Tx.TryEnter(), nil
}

// check checks what does not need a place in the queue.
func (q *QP) check(wr *hca.SendWR) error {
	if err := q.checkSend(wr); err != nil {
		return err
	}
	return q.checkState(wr.Op)
}

// PlainReady reports whether a send or write of one segment of n bytes needs no further check.
func (q *QP) PlainReady(n uint32) bool {
	return uint64(n) <= q.Adapter.Attrs.MaxMessage && q.State.Load() == StateReady
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
	fit = q.Tx.Count(q.Config.SendDepth, n)
	if fit < n {
		fit += q.countMore(n - fit)
	}
	if inside = q.Tx.TryEnter(); inside {
		q.DrainInbox()
	}
	return fit, inside
}

// UncountRest uncounts what is left of the fit requests that BeginPosts has counted, if only n were posted.
func (q *QP) UncountRest(fit, n int) {
	if n < fit {
		q.Tx.Uncount(fit - n)
	}
}

// CheckPost is Admit for a request of a batch. counted reports that it is counted.
func (q *QP) CheckPost(wr *hca.SendWR, counted bool) error {
	switch err := q.check(wr); {
	case err != nil:
		return err
	case !counted:
		return ErrSendFull
	case wr.Op == hca.OpBind:
		return q.checkBind(wr.Bind)
	}
	return nil
}

// Direct is what the layer above may post to instead of the queue pair. If QPConfig.Latency asks for times, it is
// nothing: the queue pair notes the time of a post before it enters the gate.
func (q *QP) Direct(t Transport) hca.Poster {
	if q.SQ.times != nil {
		return nil
	}
	return t
}

// PutInInbox puts a post into the inbox.
func (q *QP) PutInInbox(wr *hca.SendWR) {
	b := &q.inbox
	b.mu.Lock()
	w := *wr
	w.More = append([]hca.Segment(nil), wr.More...)
	b.list = append(b.list, w)
	q.SQ.times.Inboxed()
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
		q.SQ.times.FromInbox(i)
		q.SQ.Push(&q.inbox.list[i])
		q.inbox.list[i].More = nil
	}
	q.SQ.times.Emptied()
	q.inbox.list = q.inbox.list[:0]
	q.Inboxed.Store(0)
	q.inbox.mu.Unlock()
}
