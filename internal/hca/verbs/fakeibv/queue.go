package fakeibv

import "github.com/godapl/godapl/internal/hca/verbs/ibv"

// compChannel is a channel of completion events.
type compChannel struct {
	h      ibv.CompChannel
	bell   *ibv.Bell
	events []*cq
	cqs    int
}

// cq is a completion queue.
type cq struct {
	dev     *device
	h       ibv.CQ
	ch      *compChannel
	cap     int
	entries []ibv.WC
	// armed for all entries, or for solicited ones and failures.
	armed, solicited bool
	raise            *lane
	unread           int // events read, not acknowledged
	async            unacked
	users            int
	broken           bool
}

func (w *World) queueCalls() map[string]function {
	return map[string]function{
		"ibv_create_comp_channel": func(a args) (uintptr, ibv.Errno) {
			ch := &compChannel{bell: ibv.NewBell()}
			ch.h = ibv.NewCompChannel(ibv.Context(a[0]), ch.bell.FD())
			return uintptr(keep(w, ch.h, ch)), 0
		},
		"ibv_destroy_comp_channel": func(a args) (uintptr, ibv.Errno) {
			ch := object[compChannel](w, a[0], "ibv_destroy_comp_channel")
			switch {
			case ch == nil:
				return num(ibv.EINVAL)
			case ch.cqs > 0:
				return num(ibv.EBUSY)
			}
			ch.bell.Close()
			drop(w, ch.h)
			return 0, 0
		},
		"ibv_create_cq":     w.createCQ,
		"ibv_resize_cq":     w.resizeCQ,
		"ibv_destroy_cq":    w.destroyCQ,
		"ibv_get_cq_event":  w.getCQEvent,
		"ibv_ack_cq_events": w.ackCQEvents,
	}
}

func (w *World) createCQ(a args) (uintptr, ibv.Errno) {
	d := w.deviceOf(ibv.Context(a[0]))
	n := int(a[1])
	if n < 1 || n > maxCQE {
		return 0, ibv.EINVAL
	}
	c := &cq{dev: d, cap: n, raise: w.newLane()}
	if a[3] != 0 {
		if c.ch = object[compChannel](w, a[3], "ibv_create_cq"); c.ch == nil {
			return 0, ibv.EINVAL
		}
		c.ch.cqs++
	}
	c.h = ibv.NewCQ(d.ctx, ibv.CompChannel(a[3]), a[2], n)
	return uintptr(keep(w, c.h, c)), 0
}

func (w *World) resizeCQ(a args) (uintptr, ibv.Errno) {
	c := object[cq](w, a[0], "ibv_resize_cq")
	n := int(a[1])
	if len(w.unresized) > 0 {
		e := w.unresized[0]
		if w.unresized = w.unresized[1:]; e != 0 {
			return num(e)
		}
	}
	if c == nil || n < 1 || n > maxCQE || n < len(c.entries) {
		return num(ibv.EINVAL)
	}
	c.cap = n
	c.h.SetCQE(n)
	return 0, 0
}

func (w *World) destroyCQ(a args) (uintptr, ibv.Errno) {
	c := object[cq](w, a[0], "ibv_destroy_cq")
	switch {
	case c == nil:
		return num(ibv.EINVAL)
	case c.users > 0:
		return num(ibv.EBUSY)
	}
	w.end(c.raise)
	if c.ch != nil {
		kept := c.ch.events[:0]
		for _, e := range c.ch.events {
			if e != c {
				kept = append(kept, e)
			}
		}
		c.ch.events = kept
		c.ch.cqs--
	}
	for c.unread > 0 {
		w.acked.Wait()
	}
	w.retract(c.dev, &c.async)
	drop(w, c.h)
	return 0, 0
}

func (w *World) getCQEvent(a args) (uintptr, ibv.Errno) {
	ch := object[compChannel](w, a[0], "ibv_get_cq_event")
	if ch == nil || len(ch.events) == 0 {
		return ^uintptr(0), ibv.EAGAIN
	}
	c := ch.events[0]
	ch.events = ch.events[1:]
	c.unread++
	ibv.View[uintptr](a[1], 1)[0] = uintptr(c.h)
	ibv.View[uintptr](a[2], 1)[0] = c.h.UserContext()
	return 0, 0
}

func (w *World) ackCQEvents(a args) (uintptr, ibv.Errno) {
	c := object[cq](w, a[0], "ibv_ack_cq_events")
	if c == nil {
		return 0, 0
	}
	if c.unread -= int(a[1]); c.unread < 0 {
		w.fault("ibv_ack_cq_events: more are acknowledged than were read")
	}
	w.acked.Broadcast()
	return 0, 0
}

func (w *World) pollCQ(a args) (uintptr, ibv.Errno) {
	c := object[cq](w, a[0], "ibv_poll_cq")
	if c == nil || c.broken {
		return ^uintptr(0), ibv.EIO
	}
	n := copy(ibv.View[ibv.WC](a[2], int(a[1])), c.entries)
	c.entries = c.entries[:copy(c.entries, c.entries[n:])]
	return uintptr(n), 0
}

func (w *World) reqNotify(a args) (uintptr, ibv.Errno) {
	c := object[cq](w, a[0], "ibv_req_notify_cq")
	if c == nil {
		return num(ibv.EINVAL)
	}
	if len(w.unarmed) > 0 {
		e := w.unarmed[0]
		if w.unarmed = w.unarmed[1:]; e != 0 {
			return num(e)
		}
	}
	// A weaker request does not take a stronger one back.
	c.solicited = a[1] != 0 && (!c.armed || c.solicited)
	c.armed = true
	if w.odd("completion event without a reason") {
		w.notify(c)
	}
	return 0, 0
}

// notify raises an event of the queue.
func (w *World) notify(c *cq) {
	if c.ch == nil {
		return
	}
	w.do(c.raise, func() {
		c.ch.events = append(c.ch.events, c)
		c.ch.bell.Ring()
	})
}

// enter makes an entry visible.
func (w *World) enter(c *cq, wc ibv.WC, solicited bool) {
	if c.broken {
		return
	}
	if len(c.entries) == c.cap {
		c.broken = true
		w.raise(c.dev, c.raise, ibv.NewAsyncEvent(ibv.EventCQErr, uintptr(c.h), 0), &c.async)
		return
	}
	c.entries = append(c.entries, wc)
	if c.armed && (!c.solicited || solicited || wc.Status != ibv.WCSuccess) {
		c.armed = false
		w.notify(c)
		if w.odd("completion event twice") {
			w.notify(c)
		}
	}
}
