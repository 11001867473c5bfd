package rdmatest

import (
	"slices"
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// complete compares an entry with the books, and changes it if the request was to fail.
func (q *worldQP) complete(wc *hca.WC) {
	wc.Owner = q.owner
	var by *failure
	if wc.Op >= hca.OpRecv {
		by = q.received(wc)
	} else {
		by = q.sent(wc)
	}
	if by != nil {
		q.a.h.w.befell(by)
		q.a.h.w.breaking.Go(func() { _ = q.QP.Disconnect(false) })
	}
}

// sent is complete for an operation of this side. It returns the failure that the operation was to have, if it has it.
func (q *worldQP) sent(wc *hca.WC) (by *failure) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.sends, func(p posted) bool { return p.serial == wc.ID })
	if i < 0 {
		q.faultf("a completion of no post, or a second one: %v %v", wc.Op, wc.Status)
		return nil
	}
	for _, before := range q.sends[:i] {
		if before.flags&hca.Suppress == 0 || q.showsAll() {
			q.faultf("%v completed, and the %v before it had not", wc.Op, before.op)
		}
	}
	p := q.sends[i]
	if wc.Status == hca.StatusOK {
		q.unchanged(q.sends[:i+1])
	}
	q.sends = slices.Delete(q.sends, 0, i+1)
	wc.ID = p.id
	ok := wc.Status == hca.StatusOK
	if !ok && wc.Status != hca.StatusFlushed && q.forced == hca.StatusOK {
		if q.caused {
			q.faultf("%v ended with %v, and another request had ended the connection: %s", wc.Op, wc.Status, q.failed)
		}
		q.caused = q.caused || wc.Op != hca.OpBind // a bind may have failed before the end
	}
	switch {
	case wc.Op != p.op:
		q.faultf("%v completed as %v", p.op, wc.Op)
	case !ok:
	case q.forced != hca.StatusOK: // below, it went on for a while
		q.change(wc, hca.StatusFlushed)
	case q.failed != "":
		q.faultf("%v succeeded behind a failure: %s", wc.Op, q.failed)
	case p.flags&hca.Suppress != 0 && !q.doomed:
		q.faultf("%v has a completion that was to be suppressed", wc.Op)
	case hasData(wc.Op) && wc.Len != p.len:
		q.faultf("%v of %d bytes completed with %d", wc.Op, p.len, wc.Len)
	case p.fate.by != nil:
		by = p.fate.by
		q.force(wc, by)
	}
	if wc.Status != hca.StatusOK && q.failed == "" {
		q.failed = wc.Op.String() + " ended with " + wc.Status.String()
		q.wrongEnd()
	}
	return by
}

// unchanged reports the memory of sends and writes that has changed before they were complete. The caller holds q.mu.
func (q *worldQP) unchanged(done []posted) {
	for _, p := range done {
		if !p.known {
			continue
		}
		if sum, can := q.a.sum(p.local, p.more, p.len); can && sum != p.sum {
			q.faultf("memory of a %v of %d bytes has changed before it was complete: it belongs to the library until then", p.op, p.len)
		}
	}
}

// showsAll reports whether requests show that were to be suppressed, because one before them has failed. If the failure is
// the world's own, they may have succeeded below. The caller holds q.mu.
func (q *worldQP) showsAll() bool { return q.failed != "" && q.forced == hca.StatusOK }

// force changes an entry to a failure. The caller holds q.mu, and ends the connection without it.
func (q *worldQP) force(wc *hca.WC, by *failure) {
	q.change(wc, by.status)
	q.doomed = true
	q.forced, q.lost = by.status, "a test wants an operation to complete with "+by.status.String()
}

// received compares a message with what the peer sent. It returns what sent returns.
func (q *worldQP) received(wc *hca.WC) (by *failure) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var p posted
	if q.shared != nil {
		shared, ok := q.shared.take(wc.ID)
		if !ok {
			q.faultf("a completion of no shared receive, or a second one: %v %v", wc.Op, wc.Status)
			return nil
		}
		p = *shared
		wc.ID = p.id
	} else {
		i := slices.IndexFunc(q.recvs, func(p posted) bool { return p.serial == wc.ID })
		if i != 0 {
			q.faultf("a completion of no receive, a second one, or one out of order: %v %v", wc.Op, wc.Status)
			return nil
		}
		p = q.recvs[0]
		q.recvs = q.recvs[1:]
		wc.ID = p.id
	}
	if wc.Status != hca.StatusOK {
		return nil
	}
	var m message
	ok := q.peer != nil
	if ok {
		m, ok = q.peer.outbox.take()
	}
	switch {
	case !ok:
		q.faultf("a message came that nobody sent: %v of %d bytes", wc.Op, wc.Len)
		return nil
	case m.op != wc.Op, wc.Op != hca.OpRecvWriteImm && m.len != wc.Len, (wc.Op == hca.OpRecvImm || wc.Op == hca.OpRecvWriteImm) && m.imm != wc.Imm:
		q.faultf("the peer sent a message of %d bytes for %v, and %v of %d bytes came", m.len, m.op, wc.Op, wc.Len)
	case m.known:
		if sum, can := q.a.sum(p.local, p.more, wc.Len); can && sum != m.sum {
			q.faultf("a message of %d bytes is not what was sent", wc.Len)
		}
	}
	q.spoiled(&p, wc)
	if p.fate.by != nil && q.forced == hca.StatusOK {
		by = p.fate.by
		q.force(wc, by)
	} else if q.forced != hca.StatusOK {
		q.change(wc, hca.StatusFlushed)
	}
	return by
}

// Check reports what the program has left behind, as failures of t: adapters with objects that it has not closed. It
// closes the other adapters. Completions that the program has not taken are no failure. Call it at the end of a test that
// closes everything itself. What the world finds by itself, it reports without Check: completions that are missing,
// doubled, out of order or of another length or status than they must have, messages that are not what was sent, and
// streams that stay open.
func (w *World) Check(t testing.TB) {
	t.Helper()
	w.Settle()
	w.mu.Lock()
	hosts := slices.Clone(w.hosts)
	w.mu.Unlock()
	for _, h := range hosts {
		for _, a := range h.adapters() {
			if err := a.CloseIdle(); err != nil {
				t.Errorf("rdmatest: host %s: %v", h.name, err)
			}
		}
	}
}

// left reports posts without completions, when the adapters are closed.
func (w *World) left() {
	for _, h := range w.hosts {
		for _, a := range h.books {
			for _, q := range a.pairs {
				q.mu.Lock()
				for _, p := range q.sends {
					if p.flags&hca.Suppress == 0 || q.showsAll() {
						q.faultf("%v never completed", p.op)
					}
				}
				if n := len(q.recvs); n > 0 {
					q.faultf("%d receives never completed", n)
				}
				q.mu.Unlock()
			}
			for key := range a.regions {
				w.t.Errorf("rdmatest: host %s: memory with key %#x is registered after its adapter has closed", h.name, uint32(key))
			}
		}
	}
}
