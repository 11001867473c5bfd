package fakeibv

import (
	"net/netip"
	"slices"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// channel is a channel of the connection manager's events.
type channel struct {
	h      ibv.EventChannel
	bell   *ibv.Bell
	events []*cmEvent
	ids    int
}

// cmEvent is an event until it is acknowledged.
type cmEvent struct {
	ibv.CMEvent
	owner *cmID // whose destruction waits for the event
	id    *cmID
	h     uintptr
}

// cmState is the state of an identifier.
type cmState uint8

const (
	idle cmState = iota
	resolved
	routed
	listening
	asking    // a request was sent
	asked     // a request has come
	accepting // it was accepted, and the peer does not know it yet, or has not said so
	connected
	leaving // a disconnect was sent
	left    // the peer's disconnect has come
	closed
)

// cmID is an identifier.
type cmID struct {
	h      ibv.ID
	ch     *channel
	dev    *device
	addr   netip.AddrPort
	bound  bool
	dst    netip.AddrPort
	state  cmState
	qp     *qp
	peer   *cmID
	from   *cmID         // the listener, until the program has read the request
	param  ibv.ConnParam // what this side has sent
	events *lane         // to the program
	net    *lane         // messages to the peer
	rtu    *lane         // the message that may be overtaken
	unread int           // events read, not acknowledged
}

func (w *World) cmCalls() map[string]function {
	return map[string]function{
		"rdma_create_event_channel": func(a args) (uintptr, ibv.Errno) {
			ch := &channel{bell: ibv.NewBell()}
			ch.h = ibv.NewEventChannel(ch.bell.FD())
			return uintptr(keep(w, ch.h, ch)), 0
		},
		"rdma_destroy_event_channel": func(a args) (uintptr, ibv.Errno) {
			ch := object[channel](w, a[0], "rdma_destroy_event_channel")
			if ch == nil {
				return 0, 0
			}
			if ch.ids > 0 {
				w.fault("rdma_destroy_event_channel: %d identifiers use it", ch.ids)
			}
			ch.bell.Close()
			drop(w, ch.h)
			return 0, 0
		},
		"rdma_create_id": func(a args) (uintptr, ibv.Errno) {
			ch := object[channel](w, a[0], "rdma_create_id")
			if ch == nil {
				return num(ibv.EINVAL)
			}
			ibv.View[ibv.ID](a[1], 1)[0] = w.newID(ch, a[2]).h
			return 0, 0
		},
		"rdma_destroy_id":   w.destroyID,
		"rdma_bind_addr":    w.bindAddr,
		"rdma_resolve_addr": w.resolveAddr,
		"rdma_resolve_route": func(a args) (uintptr, ibv.Errno) {
			i := object[cmID](w, a[0], "rdma_resolve_route")
			if i == nil || i.state != resolved {
				return num(ibv.EINVAL)
			}
			i.state = routed
			w.answer(i, ibv.CMRouteResolved, ibv.CMRouteError)
			return 0, 0
		},
		"rdma_get_cm_event": w.getCMEvent,
		"rdma_ack_cm_event": w.ackCMEvent,
		"rdma_get_src_port": func(a args) (uintptr, ibv.Errno) {
			i := object[cmID](w, a[0], "rdma_get_src_port")
			if i == nil {
				return 0, 0
			}
			p := i.addr.Port()
			return uintptr(ibv.NetworkPort(p)), 0
		},
	}
}

func (w *World) newID(ch *channel, user uintptr) *cmID {
	i := &cmID{ch: ch, events: w.newLane(), net: w.newLane(), rtu: w.newLane()}
	i.h = ibv.NewID(ch.h, user, ibv.PortSpaceTCP)
	ch.ids++
	keep(w, i.h, i)
	return i
}

// bindAddr selects the device by the address.
func (w *World) bindAddr(a args) (uintptr, ibv.Errno) {
	i, on := object[cmID](w, a[0], "rdma_bind_addr"), ibv.SockaddrAt(a[1])
	if i == nil || i.bound {
		return num(ibv.EINVAL)
	}
	d := w.at(on.Addr())
	switch {
	case d == nil && !on.Addr().IsUnspecified():
		return num(ibv.EADDRNOTAVAIL)
	case on.Port() != 0 && w.inUse(on):
		return num(ibv.EADDRINUSE)
	}
	i.bind(w, d, on)
	return 0, 0
}

func (i *cmID) bind(w *World, d *device, on netip.AddrPort) {
	for on.Port() == 0 {
		w.nextPort = max(40000, w.nextPort+1)
		if p := netip.AddrPortFrom(on.Addr(), w.nextPort); !w.inUse(p) {
			on = p
		}
	}
	i.dev, i.addr, i.bound = d, on, true
	ctx, port := ibv.Context(0), uint8(0)
	if d != nil {
		ctx, port = d.ctx, 1
	}
	i.h.Bind(ctx, port, on)
}

// at finds the device with an address.
func (w *World) at(ip netip.Addr) *device {
	for _, d := range w.devs {
		if d.addr == ip {
			return d
		}
	}
	return nil
}

// inUse reports whether an identifier has the port on the address.
func (w *World) inUse(on netip.AddrPort) bool {
	for _, o := range w.live {
		if i, ok := o.(*cmID); ok && i.bound && i.peer == nil && i.addr.Port() == on.Port() &&
			(i.addr.Addr() == on.Addr() || i.addr.Addr().IsUnspecified() || on.Addr().IsUnspecified()) {
			return true
		}
	}
	return false
}

func (w *World) resolveAddr(a args) (uintptr, ibv.Errno) {
	i, src, dst := object[cmID](w, a[0], "rdma_resolve_addr"), ibv.SockaddrAt(a[1]), ibv.SockaddrAt(a[2])
	if i == nil || i.state != idle {
		return num(ibv.EINVAL)
	}
	if !i.bound {
		d := w.at(src.Addr())
		if d == nil {
			return num(ibv.EADDRNOTAVAIL)
		}
		i.bind(w, d, src)
	}
	i.dst = dst
	i.h.SetPeer(dst)
	if w.at(dst.Addr()) == nil {
		w.event(i, ibv.CMEvent{Type: ibv.CMAddrError, Status: -int(ibv.EHOSTUNREACH)})
		return 0, 0
	}
	i.state = resolved
	w.answer(i, ibv.CMAddrResolved, ibv.CMAddrError)
	return 0, 0
}

// answer raises the answer of a resolution, or by chance its failure.
func (w *World) answer(i *cmID, good, bad ibv.CMEventType) {
	ev := ibv.CMEvent{Type: good}
	if w.draw(w.cfg.Trouble, "no resolution") {
		ev = ibv.CMEvent{Type: bad, Status: -int(ibv.ETIMEDOUT)}
	}
	w.event(i, ev)
}

// event raises an event of an identifier.
func (w *World) event(i *cmID, ev ibv.CMEvent) {
	w.do(i.events, func() { w.deliver(&cmEvent{CMEvent: ev, owner: i, id: i}) })
}

func (w *World) deliver(ev *cmEvent) {
	ev.ID = ev.id.h
	ch := ev.owner.ch
	ch.events = append(ch.events, ev)
	ch.bell.Ring()
}

func (w *World) getCMEvent(a args) (uintptr, ibv.Errno) {
	ch := object[channel](w, a[0], "rdma_get_cm_event")
	if ch == nil || len(ch.events) == 0 {
		return ^uintptr(0), ibv.EAGAIN
	}
	ev := ch.events[0]
	ch.events = ch.events[1:]
	if i := ev.id; ev.Type == ibv.CMConnectResponse && i.h.QP() != 0 {
		w.answered(i, &ev.CMEvent)
	} else if ev.Type == ibv.CMRejected && i.h.QP() != 0 {
		w.toError(i.qp)
	}
	ev.id.from = nil
	ev.owner.unread++
	ev.h = ibv.NewCMEvent(&ev.CMEvent)
	keep(w, ev.h, ev)
	ibv.View[uintptr](a[1], 1)[0] = ev.h
	return 0, 0
}

func (w *World) ackCMEvent(a args) (uintptr, ibv.Errno) {
	ev := object[cmEvent](w, a[0], "rdma_ack_cm_event")
	if ev == nil {
		return num(ibv.EINVAL)
	}
	ev.owner.unread--
	drop(w, ev.h)
	w.acked.Broadcast()
	return 0, 0
}

// destroyID ends the identifier's connection, drops its events, and waits for those that
// were read.
func (w *World) destroyID(a args) (uintptr, ibv.Errno) {
	i := object[cmID](w, a[0], "rdma_destroy_id")
	if i == nil {
		return num(ibv.EINVAL)
	}
	if i.h.QP() != 0 {
		w.fault("rdma_destroy_id: it has a queue pair")
	}
	w.abandon(i)
	w.end(i.events)
	i.ch.events = slices.DeleteFunc(i.ch.events, func(ev *cmEvent) bool { return ev.owner == i || ev.id == i })
	for _, c := range w.children(i) {
		w.abandon(c)
		w.end(c.events)
		w.forget(c)
	}
	for i.unread > 0 {
		w.acked.Wait()
	}
	w.forget(i)
	return 0, 0
}

// children are the requests of a listener that the program has not read.
func (w *World) children(l *cmID) []*cmID {
	return all(w, func(c *cmID) *lane { return c.net }, func(c *cmID) bool { return c.from == l })
}

func (w *World) forget(i *cmID) {
	i.ch.ids--
	i.bound = false
	drop(w, i.h)
}
