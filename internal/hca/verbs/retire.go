package verbs

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/ops"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// retire ends a request. Called with the completion queue's mu held.
func (s *sendQ) retire(c *cq, r *sendRec) {
	if r.flags&hca.Suppress != 0 {
		s.suppressed.Add(-1)
	}
	if r.internal {
		s.internal.Add(-1)
	}
	if ops.HasResponse(r.op) && s.done.Load() < s.given.Load() {
		s.reads.Add(-1)
	}
	if s.failed && r.status == hca.StatusOK {
		r.status = hca.StatusFlushed // iWARP may have executed it; this side cannot know
	}
	ok := r.status == hca.StatusOK
	if !ok {
		s.failed = true
		what := s.q.failure(r.op, r.status, ibv.WCStatus(r.raw), r.vendor)
		if r.internal && r.status == hca.StatusLocalQP {
			// There is nothing in it to refuse: siw says so, too, when the connection ends while it sends the request.
			what = (*qp).onPeerLeft
		}
		c.deferWork(s.q, what)
	}
	if !r.internal {
		s.q.sent.count(r.op, r.status, r.len)
		if l := s.q.latency; l != nil && ok {
			l.done(r)
		}
		if f := s.q.flight; f != nil {
			f.Sent.Completed(nil, r.op, r.status, r.id, r.len)
		}
	}
	if r.internal || ok && r.flags&hca.Suppress != 0 {
		s.freed.Add(1)
	} else {
		wc := hca.WC{ID: r.id, Owner: s.q.cfg.Owner, Len: r.len, Vendor: r.vendor, Op: r.op, Status: r.status, Flags: r.flags}
		if !ok {
			wc.Len, wc.Flags = 0, wc.Flags&^hca.Quiet
		}
		c.emit(&wc, s)
	}
	r.bind = nil
}

// flush ends all requests that are left. Called with the queue's mu held, when
// there is no queue pair of the device any more.
func (s *sendQ) flush(c *cq) {
	for done, head := s.done.Load(), s.head.Load(); done < head; done++ {
		r := &s.recs[done&s.mask]
		if !r.completed {
			r.status, r.vendor = hca.StatusFlushed, 0
		}
		s.retire(c, r)
		s.done.Store(done + 1)
	}
	s.seen = s.done.Load()
}
