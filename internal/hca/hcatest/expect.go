package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

// want describes the expected entry.
type want struct {
	id     uint64
	op     hca.Op
	len    uint64 // checked with StatusOK
	flags  hca.Flags
	status hca.Status
}

// match compares an entry with the expected one.
func (e *end) match(wc hca.WC, w want) {
	e.Helper()
	if wc.Owner != any(e) {
		e.Errorf("%s: entry %d has owner %v, which is not its queue pair's", e.name, wc.ID, wc.Owner)
	}
	if wc.ID != w.id {
		e.Errorf("%s: entry is number %d (%v, %v), want number %d (%v, %v)",
			e.name, wc.ID, wc.Op, wc.Status, w.id, w.op, w.status)
	}
	if !e.h.status(wc.Status, w.status) {
		e.Errorf("%s: %v %d: status %v (vendor %#x), want %v", e.name, w.op, wc.ID, wc.Status, wc.Vendor, w.status)
		return
	}
	// When a receive fails, the kind of the message is unknown.
	if wc.Op != w.op && (w.status == hca.StatusOK || !w.op.IsRecv() || !wc.Op.IsRecv()) {
		e.Errorf("%s: entry %d: operation %v, want %v", e.name, wc.ID, wc.Op, w.op)
	}
	if w.status != hca.StatusOK {
		w.flags &^= hca.Quiet // errors always wake
	} else if wc.Len != w.len {
		e.Errorf("%s: %v %d: length %d, want %d", e.name, w.op, wc.ID, wc.Len, w.len)
	}
	if wc.Flags != w.flags {
		e.Errorf("%s: %v %d: flags %#x, want %#x", e.name, w.op, wc.ID, wc.Flags, w.flags)
	}
}

// sent and got take the next entry of the send or receive side and check it.
func (e *end) sent(w want) hca.WC {
	e.Helper()
	wc := e.sq.next(w.op.String())
	e.match(wc, w)
	return wc
}

func (e *end) got(w want) hca.WC {
	e.Helper()
	wc := e.rq.next(w.op.String())
	e.match(wc, w)
	return wc
}

// flushed expects the receives with these numbers to be given back.
func (e *end) flushed(ids ...uint64) {
	e.Helper()
	for _, id := range ids {
		e.got(want{id: id, op: hca.OpRecv, status: hca.StatusFlushed})
	}
}

// idle checks that nothing is outstanding.
func (e *end) idle(what string) {
	e.Helper()
	if s, r := e.qp.Outstanding(); s != 0 || r != 0 {
		e.Errorf("%s: %s: %d requests and %d receives outstanding, want none", e.name, what, s, r)
	}
}

// lacks checks that an operation which the connection cannot do is refused, and
// reports whether that is so.
func (c *conn) lacks(caps hca.Caps, wr hca.SendWR) bool {
	c.Helper()
	if c.a.has(caps) {
		return false
	}
	c.Logf("%v: not supported here; checking that it is refused", wr.Op)
	c.code(wr.Op.String(), c.a.qp.PostSend(wr), hca.Unsupported)
	c.expectAlive("after an unsupported operation")
	return true
}
