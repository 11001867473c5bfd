package verbs

import (
	"context"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// step waits for the connection manager's next event, which must be want.
func (q *qp) step(ctx context.Context, op, object string, want ibv.CMEventType) (ibv.CMEvent, error) {
	select {
	case ev := <-q.steps:
		if ev.Type == want {
			return ev, nil
		}
		return ev, q.ad.explainCM(op, object, &ev)
	case <-q.cancel:
		if err := contextError(ctx, op, object); err != nil {
			return ibv.CMEvent{}, err // the caller ended its context first, and said why
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		return ibv.CMEvent{}, q.givenUp(op, object)
	case <-ctx.Done():
		return ibv.CMEvent{}, contextError(ctx, op, object)
	}
}

// cmEvent takes an event of the queue pair's identifier.
func (q *qp) cmEvent(ev *ibv.CMEvent) {
	switch ev.Type {
	case ibv.CMEstablished:
		if !q.established(ev) {
			return
		}
	case ibv.CMDisconnected:
		q.leftOnce.Do(func() { close(q.left) })
		// Only a peer that is connected disconnects. Its message that says so was overtaken or
		// lost: the connection manager drops it now.
		if made := *ev; q.passive && q.established(&made) {
			made.Type, ev = ibv.CMEstablished, &made
		}
		q.onPeerLeft()
	case ibv.CMDeviceRemoval:
		q.fail(hca.NewError(hca.Broken, "device", q.ad.attr.Name, "the device has been removed"))
	case ibv.CMTimewaitExit, ibv.CMAddrChange:
		return
	}
	select {
	case q.steps <- *ev:
	default: // the caller has given up
	}
}

// setID gives the queue pair its identifier.
func (q *qp) setID(id *cmID) {
	q.mu.Lock()
	q.id = id
	q.mu.Unlock()
}

// make creates the device's queue pair, on the device and port that the identifier
// has found, and gives it the receives posted so far.
func (q *qp) make(op, object string) error {
	a := q.ad
	rcq := q.rcq.h
	if q.cfg.SolicitQuiet {
		rcq = q.rcq.solicited
	}
	attr := ibv.QPInitAttr{
		SendCQ: q.scq.h, RecvCQ: rcq, Type: ibv.QPTypeRC,
		Cap: ibv.QPCap{
			MaxSendWR: uint32(q.cfg.SendDepth + spareSend), MaxRecvWR: uint32(max(1, q.cfg.RecvDepth)),
			MaxSendSGE: uint32(a.sendSGE(&q.cfg)), MaxRecvSGE: uint32(max(1, q.cfg.RecvSGE)),
		},
	}
	if q.srq != nil {
		attr.SRQ, attr.Cap.MaxRecvWR = q.srq.h, 0
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if e := a.lib.CreateQP(q.id.ID, q.pd.h, &attr); e != 0 {
		return explain(op, object, e, "the device made no queue pair")
	}
	q.h = q.id.QP()
	q.num = q.h.Num()
	a.takeOver(q)
	if e := q.handRecvs(); e != 0 {
		return explain(op, object, e, "the device refused the receives posted before")
	}
	return nil
}

// unmake destroys the device's queue pair. Called with mu held; afterwards no
// completion of it comes any more.
func (q *qp) unmake() { q.destroy(q.part()) }

// part detaches the device's queue pair and returns it to be destroyed; 0 if there is
// none. Called with mu held.
func (q *qp) part() ibv.QP {
	h := q.h
	if h == 0 {
		return 0
	}
	q.pd.renewWindows(q)
	q.id.takeQP()
	// The device may give the next queue pair the same address as soon as this one is
	// destroyed.
	remove(q.ad, q.ad.byQP, h)
	q.h = 0
	return h
}

// destroy frees a queue pair of the device that part has returned.
func (q *qp) destroy(h ibv.QP) {
	if h == 0 {
		return
	}
	if e := q.ad.lib.DestroyQP(h); e != 0 {
		q.ad.logf("a queue pair could not be freed", "error", e)
	}
}

// answer waits for the peer's answer, which the device has requested. An iWARP device
// does not release a queue pair while it still waits for the answer.
func (q *qp) answer(ctx context.Context, op, object string) error {
	ev, err := q.step(ctx, op, object, ibv.CMEstablished)
	q.mu.Lock()
	q.unanswered = q.ad.iwarp && ev.ID == 0
	q.mu.Unlock()
	return err
}

// takeOver enters a queue pair that the device has just made. Devices use numbers again, perhaps at once: what a queue
// still holds under this number is of the queue pair that had it, which is being taken down, and is taken out before.
func (a *adapter) takeOver(q *qp) {
	if former := a.qpByNumber(q.num); former != nil && former != q {
		c := former.rcq
		c.mu.Lock()
		c.pull()
		c.mu.Unlock()
		a.ends.Go(c.drive) // it locks queue pairs, and the caller holds one
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.byQP[q.h], a.byNumber[q.num] = q, q
}

// forget removes the queue pair from the lookup by number, once the queues hold none
// of its entries.
func (q *qp) forget() {
	a := q.ad
	a.mu.Lock()
	if a.byNumber[q.num] == q {
		delete(a.byNumber, q.num)
	}
	a.mu.Unlock()
}

func (a *adapter) qpByNumber(n uint32) *qp { return find(a, a.byNumber, n) }

// shut reports whether a channel that nothing is sent to is closed.
func shut(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
