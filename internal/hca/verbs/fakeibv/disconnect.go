package fakeibv

import "github.com/godapl/godapl/internal/hca/verbs/ibv"

// disconnect moves the queue pair to the error state and sends a disconnect, or the answer
// to the peer's.
func (w *World) disconnect(a args) (uintptr, ibv.Errno) {
	i := object[cmID](w, a[0], "rdma_disconnect")
	if i == nil {
		return num(ibv.EINVAL)
	}
	if i.qp != nil && i.h.QP() != 0 {
		w.toError(i.qp)
	}
	switch i.state {
	case connected:
		w.leave(i)
	case left:
		w.replyLeft(i)
	default:
		return num(ibv.EINVAL)
	}
	return 0, 0
}

// leave sends a disconnect.
func (w *World) leave(i *cmID) {
	i.state = leaving
	w.do(i.net, func() {
		p := i.peer
		switch {
		case p == nil || p.state == closed:
			w.gone(i)
		case p.state == accepting || p.state == connected || p.state == leaving:
			if p.state == accepting {
				w.counts["disconnect before established"]++ // which is dropped when it comes
			}
			crossed := p.state == leaving
			p.state = left
			w.event(p, ibv.CMEvent{Type: ibv.CMDisconnected})
			if crossed { // it does not answer any more
				w.gone(i)
				w.gone(p)
			}
		}
	})
}

// replyLeft answers the peer's disconnect.
func (w *World) replyLeft(i *cmID) {
	i.state = closed
	w.do(i.net, func() {
		if p := i.peer; p != nil {
			w.gone(p)
		}
	})
	w.event(i, ibv.CMEvent{Type: ibv.CMTimewaitExit})
}

// gone ends an identifier whose disconnect was answered.
func (w *World) gone(i *cmID) {
	if i.state == leaving {
		w.event(i, ibv.CMEvent{Type: ibv.CMDisconnected})
	}
	i.state = closed
	w.event(i, ibv.CMEvent{Type: ibv.CMTimewaitExit})
}

// abandon tells the peer of an identifier that is destroyed.
func (w *World) abandon(i *cmID) {
	switch i.state {
	case asking:
		if i.peer != nil {
			w.rejected(i, timedOut, nil)
		} else {
			w.end(i.net) // the request is not sent any more
		}
	case asked, accepting:
		w.rejected(i, consumer, nil)
	case connected:
		w.leave(i)
	case left:
		w.replyLeft(i)
	}
	i.state = closed
}
