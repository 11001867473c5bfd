package hcatest

import (
	"errors"

	"github.com/godapl/godapl/internal/hca"
)

// refused posts a request that the peer must refuse, and checks the reaction in the
// form that the connection has. Both queue pairs are closed afterwards. It returns the
// reason that the requesting side learned from the wire.
func (c *conn) refused(what string, from *end, wr hca.SendWR) (told string) {
	c.Helper()
	peer := c.peer(from)
	paint(peer.mail.b, 0)
	fill(from.mail.b, 1)
	kept := peer.receive(peer.mail.seg(0, mailLen))
	id := from.post(wr)
	// A request after the refused one must not be executed.
	behind := from.post(write(peer.mail, 0, from.mail.seg(0, mailLen)))

	first, second := from.sq.next(what), from.sq.next(what+": behind")
	fe, pe := from.ev.broken(what), peer.ev.broken(what)
	if fe.Kind == hca.EventBroken && pe.Kind == hca.EventBroken {
		c.cause(what, fe)
		c.cause(what, pe)
	}
	if e := new(hca.Error); errors.As(pe.Err, &e) && e.Refused != 0 && (e.Refused != wr.Op && !(e.Refused == hca.OpWrite && wr.Op == hca.OpWriteImm) || e.Status != hca.StatusRemoteAccess) {
		c.Errorf("%s: the peer says that it refused %v (%v)", what, e.Refused, e.Status)
	}
	statuses := []hca.Status{hca.StatusRemoteAccess}
	switch {
	case from.info.Acked:
	case !isAnswered(wr.Op): // it may be gone before the refusal is known
		statuses = append(statuses, hca.StatusFlushed, hca.StatusOK)
	case c.h.FlushedRefusals:
		statuses = append(statuses, hca.StatusFlushed)
	}
	from.one(what, first, id, wr.Op, statuses)
	late := []hca.Status{hca.StatusFlushed}
	if !from.info.Acked && first.Status == hca.StatusOK {
		late = append(late, hca.StatusOK)
	}
	from.one(what+": behind", second, behind, hca.OpWrite, late)
	peer.flushed(kept)
	c.close()
	from.sq.empty(what)
	peer.rq.empty(what)
	if !c.h.LooseRefusal {
		peer.mail.still(what+": a request behind the refused one", 0, mailLen, 0)
	}
	peer.mail.guards(what)
	return reason(fe.Err)
}

// isAnswered tells the operations that cannot succeed before the peer has answered.
func isAnswered(op hca.Op) bool {
	return op == hca.OpRead || op == hca.OpFetchAdd || op == hca.OpCompareSwap
}

// reason is the innermost of an error, if that is none of the library's own: those may
// name the connection.
func reason(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			break
		}
		err = inner
	}
	var own *hca.Error
	if err == nil || errors.As(err, &own) {
		return ""
	}
	return err.Error()
}

// one checks an entry with several acceptable statuses.
func (e *end) one(what string, wc hca.WC, id uint64, op hca.Op, statuses []hca.Status) {
	e.Helper()
	for _, s := range statuses {
		if e.h.status(wc.Status, s) {
			if wc.ID != id || wc.Op != op || wc.Owner != any(e) {
				e.Errorf("%s: %s: entry %d %v of %v, want %d %v", e.name, what, wc.ID, wc.Op, wc.Owner, id, op)
			}
			return
		}
	}
	e.Errorf("%s: %s: status %v, want one of %v", e.name, what, wc.Status, statuses)
}

// cause checks that an error says why.
func (c *conn) cause(what string, ev hca.ConnEvent) {
	c.Helper()
	if ev.Err == nil {
		c.Errorf("%s: the terminal event has no cause", what)
		return
	}
	if ev.Err.Error() == "" {
		c.Errorf("%s: the cause is empty", what)
	}
}
