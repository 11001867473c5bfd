package rdma

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// The posts. Each has a short cut for the plain case: one piece of memory, no
// special flags, all checks passed. It takes no lock and makes no calls before
// the adapter's. Everything else, errors included, goes the long way.

// PostSend queues a message (uDAPL: dat_ep_post_send). It never blocks and
// allocates nothing.
//
// Errors of all posts: ErrState unless connected (once disconnected, posts
// succeed and are flushed); ErrQueueFull if the queue has no room: take
// completions first; ErrInvalid for a range that is not inside its memory, too
// many pieces or flags that do not apply; ErrLength for more bytes than fit the
// target or the adapter; ErrPrivileges if the region lacks the right or has been
// freed; ErrProtection if it is of another zone; ErrUnsupported if the
// connection cannot do it; ErrClosed. After an error nothing was queued.
func (e *Endpoint) PostSend(s Send) error {
	l := e.link.Load()
	if l == nil {
		return e.unlinked("post send")
	}
	if seg, ok := s.From.Segment(l.domain, mem.LocalRead); ok && len(s.More) == 0 && s.Flags&^toHCA == 0 &&
		s.Invalidate == 0 && uint64(s.From.Len()) <= l.maxMessage {
		if l.plain != nil {
			return l.plain.PostPlainSend(s.Cookie, hca.Flags(s.Flags), seg)
		}
		return l.qp.PostSend(hca.SendWR{ID: s.Cookie, Op: hca.OpSend, Flags: hca.Flags(s.Flags), Local: seg})
	}
	return l.postSend(s)
}

func (l *link) postSend(s Send) error {
	list := segmentLists.Get().(*[]hca.Segment)
	var wr hca.SendWR
	err := l.lowerSend(&wr, &s, list)
	return l.post(wr, list, err)
}

// post posts a request that was lowered with list, unless that failed.
func (l *link) post(wr hca.SendWR, list *[]hca.Segment, err error) error {
	if err == nil {
		err = l.qp.PostSend(wr)
	}
	*list = (*list)[:0]
	segmentLists.Put(list)
	return err
}

// PostRecv queues room for a message (uDAPL: dat_ep_post_recv). It never blocks
// and may be called in any state but closed: receives wait for the connection.
// An endpoint with a shared receive queue refuses with ErrState. See PostSend
// for the other errors.
func (e *Endpoint) PostRecv(r Recv) error {
	l := e.link.Load()
	for l == nil {
		if done, err := e.postKept(&r); done {
			e.lookAtMarks(0)
			return err
		}
		l = e.link.Load()
	}
	if seg, ok := r.Into.Segment(l.domain, mem.LocalWrite); ok && len(r.More) == 0 && r.Flags&^Unsignalled == 0 &&
		uint64(r.Into.Len()) <= maxSegment && e.marks.Load() == nil {
		return l.qp.PostRecv(hca.RecvWR{ID: r.Cookie, Flags: hca.Flags(r.Flags), Local: seg})
	}
	err := l.postRecv(r)
	e.lookAtMarks(0)
	return err
}

func (l *link) postRecv(r Recv) error {
	list := segmentLists.Get().(*[]hca.Segment)
	var wr hca.RecvWR
	err := lowerRecv(&wr, &r, l.domain, l.recvSegments, list)
	if err == nil {
		err = l.qp.PostRecv(wr)
	}
	*list = (*list)[:0]
	segmentLists.Put(list)
	return err
}

// PostRead queues a read of the peer's memory (uDAPL: dat_ep_post_rdma_read).
// ErrLength if Into is smaller than From. See PostSend.
func (e *Endpoint) PostRead(r Read) error {
	l := e.link.Load()
	if l == nil {
		return e.unlinked("post read")
	}
	if seg, ok := r.Into.Segment(l.domain, l.readNeeds); ok && len(r.More) == 0 && r.Flags&^readFlags == 0 &&
		r.From.Valid() && r.From.Length <= l.maxTransfer && r.From.Length <= uint64(r.Into.Len()) {
		seg.Len = uint32(r.From.Length)
		return l.qp.PostSend(hca.SendWR{ID: r.Cookie, Op: hca.OpRead, Flags: hca.Flags(r.Flags), Local: seg,
			Remote: r.From.Addr, RKey: hca.Key(r.From.Key)})
	}
	return l.postRead(r)
}

func (l *link) postRead(r Read) error {
	list := segmentLists.Get().(*[]hca.Segment)
	var wr hca.SendWR
	err := l.lowerRead(&wr, &r, list)
	return l.post(wr, list, err)
}

// PostWrite queues a write to the peer's memory (uDAPL: dat_ep_post_rdma_write).
// ErrLength if From is larger than To. See PostSend.
//
// What its success proves depends on the connection: see [Conn.Acked].
func (e *Endpoint) PostWrite(w Write) error {
	l := e.link.Load()
	if l == nil {
		return e.unlinked("post write")
	}
	if seg, ok := w.From.Segment(l.domain, mem.LocalRead); ok && len(w.More) == 0 && w.Flags&^readFlags == 0 &&
		w.To.Valid() && uint64(w.From.Len()) <= min(l.maxTransfer, w.To.Length) {
		if l.plain != nil {
			return l.plain.PostPlainWrite(w.Cookie, hca.Flags(w.Flags), seg, w.To.Addr, hca.Key(w.To.Key))
		}
		return l.qp.PostSend(hca.SendWR{ID: w.Cookie, Op: hca.OpWrite, Flags: hca.Flags(w.Flags), Local: seg,
			Remote: w.To.Addr, RKey: hca.Key(w.To.Key)})
	}
	return l.postWrite(w)
}

func (l *link) postWrite(w Write) error {
	list := segmentLists.Get().(*[]hca.Segment)
	var wr hca.SendWR
	err := l.lowerWrite(&wr, &w, list)
	return l.post(wr, list, err)
}

// PostFetchAdd queues an addition (uDAPL: dat_ib_post_fetch_and_add). See
// PostSend.
func (e *Endpoint) PostFetchAdd(f FetchAdd) error {
	l := e.link.Load()
	if l == nil {
		return e.unlinked("post fetch-add")
	}
	wr := hca.SendWR{ID: f.Cookie, Op: hca.OpFetchAdd, Operand: f.Add}
	if err := l.lowerAtomic(&wr, "post fetch-add", f.Into, &f.At, f.Flags); err != nil {
		return err
	}
	return l.qp.PostSend(wr)
}

// PostCompareSwap queues a comparison (uDAPL: dat_ib_post_cmp_and_swap). See
// PostSend.
func (e *Endpoint) PostCompareSwap(c CompareSwap) error {
	l := e.link.Load()
	if l == nil {
		return e.unlinked("post compare-swap")
	}
	wr := hca.SendWR{ID: c.Cookie, Op: hca.OpCompareSwap, Operand: c.Swap, Compare: c.Compare}
	if err := l.lowerAtomic(&wr, "post compare-swap", c.Into, &c.At, c.Flags); err != nil {
		return err
	}
	return l.qp.PostSend(wr)
}

// unlinked is why a request cannot be posted while there is no queue pair.
func (e *Endpoint) unlinked(op string) error {
	if s := e.State(); s != StateClosed {
		return hca.NewError(hca.State, op, postObject, "it is "+s.String()+"; connect it first")
	}
	return e.closedError(op)
}
