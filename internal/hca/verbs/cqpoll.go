package verbs

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// pollInto moves entries from the device into dst. One completion can report several
// requests; entries that do not fit go to ready. Called with mu held.
func (c *cq) pollInto(dst []hca.WC) int {
	c.out, c.polling = dst, true
	for _, h := range [...]ibv.CQ{c.h, c.solicited} {
		for h != 0 && len(c.out) > 0 {
			want := min(len(c.out), batch)
			if c.poll(h, want) < want {
				break
			}
		}
	}
	n := len(dst) - len(c.out)
	c.out, c.polling = nil, false
	return n
}

// pull moves all entries of the device to ready. Called with mu held. It terminates
// because queues are finite and ready is bounded: a request is accepted only if there
// is room for its entry, and a receive keeps its slot until its entry is polled.
func (c *cq) pull() {
	if c.closed {
		return
	}
	c.drained = false
	for _, h := range [...]ibv.CQ{c.h, c.solicited} {
		for h != 0 && c.poll(h, batch) == batch {
		}
	}
}

// poll is one crossing.
func (c *cq) poll(h ibv.CQ, want int) int {
	n := c.frame.PollCQ(h, want, c.wcs.Addr(0))
	if n < 0 {
		// The queue has overflowed or its device is gone; an asynchronous event reports
		// which and is handled there.
		return 0
	}
	c.from = h
	for i := range c.wcs.S[:n] {
		c.account(&c.wcs.S[i])
	}
	c.from = 0
	return n
}

// account finds the queue whose request a completion ends.
func (c *cq) account(w *ibv.WC) {
	id := wrID(w.ID)
	if id.shared() {
		if s, q := c.ad.table.srq(id.index()), c.ad.qpByNumber(w.QPNum); s != nil && q != nil {
			s.completed(c, q, w, id.slot())
		}
		return
	}
	q := c.ad.table.qp(id.index())
	switch {
	case q == nil:
	case id.recv():
		q.recv.completed(c, w, id.slot())
	default:
		q.send.completed(c, w, id.slot())
	}
}

// emit hands an entry to the consumer, or keeps it until it polls.
func (c *cq) emit(wc *hca.WC, from slotOwner) {
	if wc.Flags&hca.Quiet == 0 && !c.polling && !c.maybeUnsolicited(wc) {
		c.fresh = true
	}
	if len(c.out) > 0 && c.ready.len() == 0 {
		c.out[0] = *wc
		c.out = c.out[1:]
		from.polled()
		return
	}
	c.ready.add(wc, from)
}

// maybeUnsolicited reports whether a receive may be unsolicited. An entry does not say
// so; only the device knows, and its notification shows it: see notified. Failures
// always wake.
func (c *cq) maybeUnsolicited(wc *hca.WC) bool {
	return !c.again && c.from != 0 && c.from == c.solicited && wc.Status == hca.StatusOK
}

// later defers work until the lock has been released.
func (c *cq) later(q *qp, what func(*qp)) {
	if c.after == nil {
		c.after, c.spare = c.spare, nil
	}
	c.after = append(c.after, afterwards{q, what})
}

// deferWork defers work that may determine the cause of the connection's end and
// needs the queue pair's mu. The completion counts as done at once; awaitCompletions
// also waits for the deferred work.
func (c *cq) deferWork(q *qp, what func(*qp)) {
	q.deferredWork.Add(1)
	c.later(q, func(q *qp) {
		what(q)
		q.deferredWork.Add(-1)
		q.wakeAwaiting()
	})
}
