package rdma

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// The posts. Each has a fast path for the simple case: one piece of memory, no special flags,
// all checks passed. It takes no lock and makes no call before the adapter's. All else, errors
// included, takes the slow path.
//
// PostSend and PostWrite are small enough to be inlined. The fields of a new request then stay
// in registers: a structure that is stored field by field and then copied as a whole stalls
// the CPU (failed store-to-load forwarding).

// PostSend queues a message (uDAPL: dat_ep_post_send). It never blocks and
// allocates nothing.
//
// Errors of all posts: ErrState unless connected (once disconnected, posts succeed and are
// flushed); ErrQueueFull if the queue of requests is full, or the completion queue is full of
// completions that the program has not taken: take completions; ErrInvalid for a range that is
// not inside its memory, too many pieces or flags that do not apply; ErrLength for more bytes
// than fit the target or the adapter; ErrPrivileges if the region lacks the right or has been
// freed; ErrProtection if it is of another zone; ErrUnsupported if the connection cannot do
// it; ErrClosed. After an error nothing was queued.
func (e *Endpoint) PostSend(s Send) error {
	return e.send(s.From, s.Cookie, s.Flags, s.Invalidate, s.Immediate, s.More)
}

func (e *Endpoint) send(from mem.Slice, cookie uint64, flags Flags, invalidate mem.Key, immediate uint32, more []mem.Slice) error {
	l := e.link.Load()
	if l == nil {
		return e.unlinked("post send")
	}
	if seg, ok := segment(from, l.zoneID, mem.LocalRead); ok && len(more) == 0 && flags&^toHCA == 0 &&
		invalidate == 0 && uint64(from.Len()) <= l.maxMessage {
		return l.told("post send", l.poster().PostPlainSend(cookie, hca.Flags(flags), seg))
	}
	return l.postSend(Send{From: from, More: more, Cookie: cookie, Flags: flags, Immediate: immediate, Invalidate: invalidate})
}

func (l *link) postSend(s Send) error {
	list := segmentLists.Get().(*[]hca.Segment)
	var wr hca.SendWR
	err := l.lowerSend(&wr, &s, list)
	return l.post("post send", wr, list, err)
}

// post posts a request that was built with list, unless err is set.
func (l *link) post(op string, wr hca.SendWR, list *[]hca.Segment, err error) error {
	if err == nil {
		err = l.poster().PostSend(wr)
	}
	*list = (*list)[:0]
	segmentLists.Put(list)
	return l.told(op, err)
}

// PostRecv queues a buffer for a message (uDAPL: dat_ep_post_recv). It never blocks and may be
// called in any state but closed: receives wait for the connection. An endpoint with a shared
// receive queue refuses with ErrState. See PostSend for the other errors.
func (e *Endpoint) PostRecv(r Recv) error {
	l := e.link.Load()
	for l == nil {
		if done, err := e.postKept(&r); done {
			e.lookAtMarks(0)
			return err
		}
		l = e.link.Load()
	}
	if seg, ok := segment(r.Into, l.zoneID, mem.LocalWrite); ok && len(r.More) == 0 && r.Flags&^NoWake == 0 &&
		uint64(r.Into.Len()) <= maxSegment && e.marks.Load() == nil {
		return l.told("post receive", l.qp.PostRecv(hca.RecvWR{ID: r.Cookie, Flags: hca.Flags(r.Flags), Local: seg}))
	}
	err := l.postRecv(r)
	e.lookAtMarks(0)
	return err
}

func (l *link) postRecv(r Recv) error {
	list := segmentLists.Get().(*[]hca.Segment)
	var wr hca.RecvWR
	err := lowerRecv(&wr, &r, l.zone, l.recvSegments, list)
	if err == nil {
		err = l.qp.PostRecv(wr)
	}
	*list = (*list)[:0]
	segmentLists.Put(list)
	return l.told("post receive", err)
}

// PostRead queues a read of the peer's memory (uDAPL: dat_ep_post_rdma_read).
// ErrLength if Into is smaller than From. See PostSend.
func (e *Endpoint) PostRead(r Read) error {
	l := e.link.Load()
	if l == nil {
		return e.unlinked("post read")
	}
	if seg, ok := segment(r.Into, l.zoneID, l.readNeeds); ok && len(r.More) == 0 && r.Flags&^readFlags == 0 &&
		r.From.Valid() && r.From.Length <= l.maxTransfer && r.From.Length <= uint64(r.Into.Len()) {
		seg.Len = uint32(r.From.Length)
		return l.told("post read", l.poster().PostSend(hca.SendWR{ID: r.Cookie, Op: hca.OpRead, Flags: hca.Flags(r.Flags), Local: seg,
			Remote: r.From.Addr, RKey: hca.Key(r.From.Key)}))
	}
	return l.postRead(r)
}

func (l *link) postRead(r Read) error {
	list := segmentLists.Get().(*[]hca.Segment)
	var wr hca.SendWR
	err := l.lowerRead(&wr, &r, list)
	return l.post("post read", wr, list, err)
}

// PostWrite queues a write to the peer's memory (uDAPL: dat_ep_post_rdma_write).
// ErrLength if From is larger than To. See PostSend.
//
// What its success proves depends on the connection: see [Conn.Acked].
func (e *Endpoint) PostWrite(w Write) error {
	return e.write(w.From, w.To, w.Cookie, w.Flags, w.More, w.Immediate)
}

func (e *Endpoint) write(from mem.Slice, to mem.Remote, cookie uint64, flags Flags, more []mem.Slice, immediate uint32) error {
	l := e.link.Load()
	if l == nil {
		return e.unlinked("post write")
	}
	if seg, ok := segment(from, l.zoneID, mem.LocalRead); ok && len(more) == 0 && flags&^readFlags == 0 &&
		to.Valid() && uint64(from.Len()) <= min(l.maxTransfer, to.Length) {
		return l.told("post write", l.poster().PostPlainWrite(cookie, hca.Flags(flags), seg, to.Addr, hca.Key(to.Key)))
	}
	return l.postWrite(Write{From: from, More: more, To: to, Cookie: cookie, Flags: flags, Immediate: immediate})
}

func (l *link) postWrite(w Write) error {
	list := segmentLists.Get().(*[]hca.Segment)
	var wr hca.SendWR
	err := l.lowerWrite(&wr, &w, list)
	return l.post("post write", wr, list, err)
}

// PostFetchAdd queues an addition (uDAPL: dat_ib_post_fetch_and_add). See
// PostSend.
func (e *Endpoint) PostFetchAdd(f FetchAdd) error {
	l := e.link.Load()
	if l == nil {
		return e.unlinked("post fetch-add")
	}
	return l.postFetchAdd(&f)
}

func (l *link) postFetchAdd(f *FetchAdd) error {
	wr := hca.SendWR{ID: f.Cookie, Op: hca.OpFetchAdd, Operand: f.Add}
	err := l.lowerAtomic(&wr, f.Into, &f.At, f.Flags)
	if err == nil {
		err = l.poster().PostSend(wr)
	}
	return l.told("post fetch-add", err)
}

// PostCompareSwap queues a comparison (uDAPL: dat_ib_post_cmp_and_swap). See
// PostSend.
func (e *Endpoint) PostCompareSwap(c CompareSwap) error {
	l := e.link.Load()
	if l == nil {
		return e.unlinked("post compare-swap")
	}
	return l.postCompareSwap(&c)
}

func (l *link) postCompareSwap(c *CompareSwap) error {
	wr := hca.SendWR{ID: c.Cookie, Op: hca.OpCompareSwap, Operand: c.Swap, Compare: c.Compare}
	err := l.lowerAtomic(&wr, c.Into, &c.At, c.Flags)
	if err == nil {
		err = l.poster().PostSend(wr)
	}
	return l.told("post compare-swap", err)
}

// unlinked is the error of a post while there is no queue pair.
func (e *Endpoint) unlinked(op string) error {
	if s := e.State(); s != StateClosed {
		return hca.NewError(hca.State, op, e.object(), "it is "+s.String()+"; connect it first")
	}
	return hca.NewError(hca.Closed, op, e.completed(), "the endpoint has been closed")
}
