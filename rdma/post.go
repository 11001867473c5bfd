package rdma

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// The posts. Each has a fast path for the simple case: one piece of memory, no special flags,
// all checks passed. It takes no lock and makes no call before the adapter's. All else, errors
// included, takes the slow path.
//
// PostSend and PostWrite are small enough to be inlined, and pass the request on by reference.
// A structure that is stored field by field and then copied as a whole stalls the CPU (failed
// store-to-load forwarding), and one that is passed in registers does not fit there.

// PostSend queues a message (uDAPL: dat_ep_post_send). It allocates nothing, and does not block; but
// a post that finds the queue full first waits for a goroutine that is sending on the connection at
// that moment, which takes microseconds, and a tenth of a second at most if that goroutine has lost
// its processor. On Linux's software device rxe it waits as long for a report that is late.
//
// Errors of all posts: ErrState if the endpoint is not connected (once it is disconnected,
// posts succeed and are flushed); ErrQueueFull if the queue of requests is full, or if the
// completion queue is full of completions that the program has not taken (take completions and
// post again); ErrInvalid for a range that is not inside its memory, too many pieces or flags
// that do not apply; ErrLength for more bytes than the target or the adapter can take;
// ErrPrivileges if the region lacks the right or has been freed; ErrProtection if the region
// is of another zone; ErrUnsupported if the connection does not support the operation;
// ErrClosed, also if the zone of the memory, or the adapter, has been closed. After an error nothing is queued.
func (e *Endpoint) PostSend(s Send) error { return e.send(e.session.Load(), &s) }

// send posts a message on the endpoint's connection, or on a former one.
func (e *Endpoint) send(sess *session, s *Send) error {
	if sess == nil {
		return e.notConnected("post send")
	}
	if s.From.Allows(sess.zoneID, mem.LocalRead) && len(s.More) == 0 && s.Flags&^toHCA == 0 &&
		s.Invalidate == 0 && uint64(s.From.Len()) <= sess.maxMessage {
		return sess.told("post send", sess.poster().PostPlainSend(s.Cookie, hca.Flags(s.Flags), segment(s.From)))
	}
	return sess.postSend(*s)
}

func (sess *session) postSend(s Send) error {
	list := segmentLists.Get().(*[]hca.Segment)
	var wr hca.SendWR
	err := sess.fillSend(&wr, &s, list)
	return sess.post("post send", wr, list, err)
}

// post posts a request that was built with list, unless err is set.
func (sess *session) post(op string, wr hca.SendWR, list *[]hca.Segment, err error) error {
	if err == nil {
		err = sess.poster().PostSend(wr)
	}
	*list = (*list)[:0]
	segmentLists.Put(list)
	return sess.told(op, err)
}

// PostRecv queues a buffer for a message (uDAPL: dat_ep_post_recv). It never blocks and may be
// called in any state but closed: receives wait for the connection. It fails with ErrState on
// an endpoint with a shared receive queue. See PostSend for the other errors.
func (e *Endpoint) PostRecv(r Recv) error {
	sess := e.session.Load()
	for sess == nil || sess.reset.Load() {
		if done, err := e.postEarlyRecv(&r); done {
			e.lookAtMarks(0)
			return err
		}
		sess = e.session.Load()
	}
	if r.Into.Allows(sess.zoneID, mem.LocalWrite) && len(r.More) == 0 && r.Flags&^NoWake == 0 &&
		uint64(r.Into.Len()) <= maxSegment && e.marks.Load() == nil {
		err := sess.qp.PostRecv(hca.RecvWR{ID: r.Cookie, Flags: hca.Flags(r.Flags), Local: segment(r.Into)})
		if err == nil {
			return nil
		}
		return e.refusedRecv(sess, &r, sess.refused("post receive", err))
	}
	err := sess.postRecv(r)
	if err != nil {
		err = e.refusedRecv(sess, &r, err)
	}
	e.lookAtMarks(0)
	return err
}

// refusedRecv posts a receive again if it came in the middle of Reset, which had closed the queue pair.
func (e *Endpoint) refusedRecv(sess *session, r *Recv, err error) error {
	if !sess.reset.Load() {
		return err
	}
	return e.PostRecv(*r)
}

func (sess *session) postRecv(r Recv) error {
	list := segmentLists.Get().(*[]hca.Segment)
	var wr hca.RecvWR
	err := fillRecv(&wr, &r, sess.zone, sess.recvSegments, list)
	if err == nil {
		err = sess.qp.PostRecv(wr)
	}
	*list = (*list)[:0]
	segmentLists.Put(list)
	return sess.told("post receive", err)
}

// PostRead queues a read of the peer's memory (uDAPL: dat_ep_post_rdma_read).
// ErrLength if Into is smaller than From. See PostSend.
func (e *Endpoint) PostRead(r Read) error {
	sess := e.session.Load()
	if sess == nil {
		return e.notConnected("post read")
	}
	if r.Into.Allows(sess.zoneID, sess.readNeeds) && len(r.More) == 0 && r.Flags&^readFlags == 0 &&
		r.From.Valid() && r.From.Length <= sess.maxTransfer && r.From.Length <= uint64(r.Into.Len()) {
		seg := segment(r.Into)
		seg.Len = uint32(r.From.Length)
		return sess.told("post read", sess.poster().PostSend(hca.SendWR{ID: r.Cookie, Op: hca.OpRead, Flags: hca.Flags(r.Flags), Local: seg,
			Remote: r.From.Addr, RKey: hca.Key(r.From.Key)}))
	}
	return sess.postRead(r)
}

func (sess *session) postRead(r Read) error {
	list := segmentLists.Get().(*[]hca.Segment)
	var wr hca.SendWR
	err := sess.fillRead(&wr, &r, list)
	return sess.post("post read", wr, list, err)
}

// PostWrite queues a write to the peer's memory (uDAPL: dat_ep_post_rdma_write).
// ErrLength if From is larger than To. See PostSend.
//
// What its success proves depends on the connection: see [Conn.Acked].
func (e *Endpoint) PostWrite(w Write) error { return e.write(e.session.Load(), &w) }

// PostWriteOf is PostWrite without a copy of the request. The caller keeps *w, and may change it when the
// call has returned. A structure whose members have just been stored is slow to copy, so a program
// that makes each request anew saves some nanoseconds if it sets the members of a variable.
func (e *Endpoint) PostWriteOf(w *Write) error { return e.write(e.session.Load(), w) }

// write posts a write on the endpoint's connection, or on a former one.
func (e *Endpoint) write(sess *session, w *Write) error {
	if sess == nil || w == nil {
		return e.noWrite(w)
	}
	if w.From.Allows(sess.zoneID, mem.LocalRead) && len(w.More) == 0 && w.Flags&^(toHCA|WithImmediate) == 0 &&
		w.To.Valid() && uint64(w.From.Len()) <= min(sess.maxTransfer, w.To.Length) {
		switch {
		case w.Flags&^readFlags == 0:
			return sess.told("post write", sess.poster().PostPlainWrite(w.Cookie, hca.Flags(w.Flags), segment(w.From), w.To.Addr, hca.Key(w.To.Key)))
		case w.Flags&WithImmediate != 0:
			return sess.told("post write", sess.poster().PostSend(hca.SendWR{ID: w.Cookie, Op: hca.OpWriteImm, Flags: hca.Flags(w.Flags & toHCA),
				Local: segment(w.From), Remote: w.To.Addr, RKey: hca.Key(w.To.Key), Imm: w.Immediate}))
		}
	}
	return sess.postWrite(*w)
}

// noWrite is the error without a request, or without a connection.
func (e *Endpoint) noWrite(w *Write) error {
	if w == nil {
		return hca.NewError(hca.Invalid, "post write", e.object(), "there is no request")
	}
	return e.notConnected("post write")
}

func (sess *session) postWrite(w Write) error {
	list := segmentLists.Get().(*[]hca.Segment)
	var wr hca.SendWR
	err := sess.fillWrite(&wr, &w, list)
	return sess.post("post write", wr, list, err)
}

// PostFetchAdd queues a fetch-and-add (uDAPL: dat_ib_post_fetch_and_add). See PostSend.
func (e *Endpoint) PostFetchAdd(f FetchAdd) error {
	sess := e.session.Load()
	if sess == nil {
		return e.notConnected("post fetch-add")
	}
	return sess.postFetchAdd(&f)
}

func (sess *session) postFetchAdd(f *FetchAdd) error {
	wr := hca.SendWR{ID: f.Cookie, Op: hca.OpFetchAdd, Operand: f.Add}
	err := sess.fillAtomic(&wr, f.Into, &f.At, f.Flags)
	if err == nil {
		err = sess.poster().PostSend(wr)
	}
	return sess.told("post fetch-add", err)
}

// PostCompareSwap queues a compare-and-swap (uDAPL: dat_ib_post_cmp_and_swap). See PostSend.
func (e *Endpoint) PostCompareSwap(c CompareSwap) error {
	sess := e.session.Load()
	if sess == nil {
		return e.notConnected("post compare-swap")
	}
	return sess.postCompareSwap(&c)
}

func (sess *session) postCompareSwap(c *CompareSwap) error {
	wr := hca.SendWR{ID: c.Cookie, Op: hca.OpCompareSwap, Operand: c.Swap, Compare: c.Compare}
	err := sess.fillAtomic(&wr, c.Into, &c.At, c.Flags)
	if err == nil {
		err = sess.poster().PostSend(wr)
	}
	return sess.told("post compare-swap", err)
}

// unlinked is the error of a post while there is no queue pair.
func (e *Endpoint) notConnected(op string) error {
	if s := e.State(); s != StateClosed {
		return hca.NewError(hca.State, op, e.object(), "it is "+s.String()+"; connect it first")
	}
	return hca.NewError(hca.Closed, op, e.completed(), "the endpoint has been closed")
}
