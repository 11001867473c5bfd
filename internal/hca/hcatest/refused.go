package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

// refused posts a request that the peer must refuse, and checks the reaction
// in the form that the connection has. Both queue pairs are closed afterwards.
func (c *conn) refused(what string, from *end, wr hca.SendWR) {
	c.Helper()
	c.refusedWith(what, from, wr, hca.StatusRemoteAccess)
}

// refusedWith names the statuses that an acknowledged connection may give.
func (c *conn) refusedWith(what string, from *end, wr hca.SendWR, statuses ...hca.Status) {
	c.Helper()
	peer := c.peer(from)
	paint(peer.mail.b, 0)
	fill(from.mail.b, 1)
	kept := peer.receive(peer.mail.seg(0, mailLen))
	id := from.post(wr)
	// What stands behind the refused request must not be carried out.
	behind := from.post(write(peer.mail, 0, from.mail.seg(0, mailLen)))

	first, second := from.sq.next(what), from.sq.next(what+": behind")
	fe, pe := from.ev.broken(what), peer.ev.broken(what)
	if fe.Kind == hca.EventBroken && pe.Kind == hca.EventBroken {
		c.cause(what, fe)
		c.cause(what, pe)
	}
	if !from.info.Acked {
		// Writes may be gone before the refusal is known, reads may not.
		statuses = append(statuses, hca.StatusFlushed)
		if wr.Op != hca.OpRead && wr.Op != hca.OpFetchAdd && wr.Op != hca.OpCompareSwap {
			statuses = append(statuses, hca.StatusOK)
		}
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
}

// one checks an entry whose status may be one of several.
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
