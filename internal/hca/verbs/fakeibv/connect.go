package fakeibv

import "github.com/godapl/godapl/internal/hca/verbs/ibv"

// Room for private data in the messages of InfiniBand's connection manager.
const (
	requestData = 56
	replyData   = 196
	rejectData  = 148
)

// Reasons of a rejection: IBTA 12.6.7.2.
const (
	timedOut  = 4
	noService = 8
	consumer  = 28
)

func (w *World) connectCalls() map[string]function {
	return map[string]function{
		"rdma_connect":    w.connect,
		"rdma_accept":     w.accept,
		"rdma_reject":     w.reject,
		"rdma_disconnect": w.disconnect,
		"rdma_listen": func(a args) (uintptr, ibv.Errno) {
			i := object[cmID](w, a[0], "rdma_listen")
			if i == nil || i.state != idle || !i.bound {
				return num(ibv.EINVAL)
			}
			i.state = listening
			return 0, 0
		},
	}
}

// padded is private data as it arrives: the whole field of the message.
func padded(b []byte, n int) []byte {
	return append(b[:len(b):len(b)], make([]byte, max(0, n-len(b)))...)
}

// sent is what the peer sees of parameters: its own directions.
func sent(p ibv.ConnParam, data int) ibv.ConnParam {
	p.ResponderResources, p.InitiatorDepth = p.InitiatorDepth, p.ResponderResources
	p.PrivateData = padded(p.PrivateData, data)
	return p
}

func (w *World) connect(a args) (uintptr, ibv.Errno) {
	i := object[cmID](w, a[0], "rdma_connect")
	if i == nil || i.state != routed || i.qp == nil {
		return num(ibv.EINVAL)
	}
	if len(w.unconnected) > 0 {
		e := w.unconnected[0]
		w.unconnected = w.unconnected[1:]
		return num(e)
	}
	i.param, i.state = ibv.ConnParamAt(a[1]), asking
	if len(i.param.PrivateData) > requestData {
		return num(ibv.EINVAL)
	}
	w.do(i.net, func() { w.request(i) })
	return 0, 0
}

// request is a request that arrives.
func (w *World) request(i *cmID) {
	l := w.listener(i)
	switch {
	case w.draw(w.cfg.Trouble, "no answer to a request"):
		i.state = closed
		w.event(i, ibv.CMEvent{Type: ibv.CMUnreachable, Status: -int(ibv.ETIMEDOUT)})
		return
	case l == nil:
		i.state = closed
		w.event(i, ibv.CMEvent{Type: ibv.CMRejected, Status: noService, Conn: ibv.ConnParam{PrivateData: padded(nil, rejectData)}})
		return
	}
	c := w.newID(l.ch, l.h.UserContext())
	c.dev, c.addr, c.dst, c.state, c.bound = w.at(i.dst.Addr()), i.dst, i.addr, asked, true
	c.h.Bind(c.dev.ctx, 1, c.addr)
	c.h.SetPeer(c.dst)
	c.peer, c.from, i.peer = i, l, c
	w.do(l.events, func() {
		w.deliver(&cmEvent{CMEvent: ibv.CMEvent{ListenID: l.h, Type: ibv.CMConnectRequest, Conn: sent(i.param, requestData)}, owner: l, id: c})
	})
}

// listener finds who listens where i wants to go.
func (w *World) listener(i *cmID) *cmID {
	ls := all(w, func(l *cmID) *lane { return l.net }, func(l *cmID) bool {
		return l.state == listening && l.addr.Port() == i.dst.Port() && (l.addr.Addr() == i.dst.Addr() || l.addr.Addr().IsUnspecified())
	})
	if len(ls) == 0 {
		return nil
	}
	return ls[0]
}

func (w *World) accept(a args) (uintptr, ibv.Errno) {
	i := object[cmID](w, a[0], "rdma_accept")
	if i == nil || i.state != asked || i.qp == nil {
		return num(ibv.EINVAL)
	}
	i.param, i.state = ibv.ConnParamAt(a[1]), accepting
	i.ready(i.peer.param)
	w.do(i.net, func() {
		if p := i.peer; p != nil && p.state == asking {
			w.event(p, ibv.CMEvent{Type: ibv.CMConnectResponse, Conn: sent(i.param, replyData)})
		}
	})
	return 0, 0
}

// ready moves the queue pair to the state in which it sends.
func (i *cmID) ready(peer ibv.ConnParam) {
	q := i.qp
	if q.state == ibv.QPInit {
		q.state, q.rnrTries = ibv.QPRTS, peer.RNRRetryCount
	}
	if p := i.peer; p != nil && p.qp != nil && p.qp.state != ibv.QPReset {
		q.peer, p.qp.peer = p.qp, q
		q.w.free(p.qp.sq)
	}
}

// answered is what the library does when it gives the program the peer's answer.
func (w *World) answered(i *cmID, ev *ibv.CMEvent) {
	if i.state != asking || i.peer == nil {
		return
	}
	i.ready(i.peer.param)
	i.state, ev.Type = connected, ibv.CMEstablished
	w.do(i.rtu, func() {
		if p := i.peer; p != nil && p.state == accepting {
			p.state = connected
			w.event(p, ibv.CMEvent{Type: ibv.CMEstablished})
		}
	})
}

func (w *World) reject(a args) (uintptr, ibv.Errno) {
	i := object[cmID](w, a[0], "rdma_reject")
	if i == nil || i.state != asked {
		return num(ibv.EINVAL)
	}
	data := append([]byte(nil), ibv.View[byte](a[1], int(a[2]))...)
	i.state = closed
	w.rejected(i, consumer, data)
	return 0, 0
}

// rejected sends a rejection.
func (w *World) rejected(i *cmID, reason int, data []byte) {
	p := i.peer
	w.do(i.net, func() {
		switch p.state {
		case asking, asked, accepting:
			p.state = closed
			w.event(p, ibv.CMEvent{Type: ibv.CMRejected, Status: reason, Conn: ibv.ConnParam{PrivateData: padded(data, rejectData)}})
		}
	})
}
