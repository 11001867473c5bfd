package verbs

import (
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

const (
	// flushTime bounds the wait for the device's flushed completions. Requests that the
	// device has not reported by then are flushed here.
	flushTime = 250 * time.Millisecond
	// peerStatusTime bounds the wait for the statuses of a peer that has left.
	peerStatusTime = 30 * time.Millisecond
	// reasonTime bounds the wait for the reason of an end that this side did not ask
	// for.
	reasonTime = 300 * time.Millisecond
)

// fail breaks the connection, unless it is over or this side has asked for the
// end.
func (q *qp) fail(err error) { q.breakOff(err, connected) }

// lose is fail for a device that does not answer any more: an attempt to connect ends, too.
func (q *qp) lose(err error) {
	q.fail(err)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.state <= connecting {
		q.stopConnecting()
	}
}

// breakOff is fail which, after this side has asked for a graceful end, still records
// err as the cause in states up to until.
func (q *qp) breakOff(err error, until state) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.cause == nil && (!q.asked || q.state <= until) {
		q.cause = err
		q.wakeAwaiting()
	}
	q.begin(ending)
}

// failure returns what a failed completion does to its queue pair.
func (q *qp) failure(op hca.Op, st hca.Status, raw ibv.WCStatus, vendor uint32) func(*qp) {
	if st == hca.StatusFlushed {
		return (*qp).onPeerLeft
	}
	err, until := explainWork(op, raw, vendor, q.info.Remote), draining
	switch st {
	case hca.StatusRemoteAccess, hca.StatusRemoteInvalid, hca.StatusRemoteOp, hca.StatusReceiverNotReady:
		until = peerLeft // the peer has said so, and may have left because of it
	case hca.StatusTransport:
		until = connected // it does not answer any more, and may have left for its own reasons
	}
	return func(q *qp) { q.breakOff(err, until) }
}

// onPeerLeft begins the end without a cause of this side: the peer is gone, or
// the device has given up and will say why.
func (q *qp) onPeerLeft() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.begin(peerLeft)
}

// asyncError handles an asynchronous error of the queue pair.
func (q *qp) asyncError(typ ibv.EventType, what string) {
	if typ == ibv.EventQPLastWQEReached {
		q.lastTaken.Store(true)
		q.wakeAwaiting()
		return
	}
	if typ == ibv.EventQPFatal && q.ad.siw {
		q.onPeerLeft() // the completion says more: see siw.go
		return
	}
	q.mu.Lock()
	peer := q.info.Remote // the connection may be being established
	q.mu.Unlock()
	q.fail(explainAsync(typ, what, peer))
}

// hasLeft reports that the peer has ended the connection.
func (q *qp) hasLeft() bool { return shut(q.left) }

// begin starts the end, once, in state in: peerLeft or ending. Called with mu held.
func (q *qp) begin(in state) {
	switch q.state {
	case connected:
		q.state = in
		q.ad.ends.Go(q.ad.labeled("close", func() { q.finish(false) }))
	case draining: // its goroutine is running already
		q.state = in
		q.abruptOnce.Do(func() { close(q.abrupt) })
	}
}

// finish ends the connection and reports it.
func (q *qp) finish(graceful bool) {
	q.awaitMade()
	a := q.ad
	alone := q.workDone(graceful)
	select {
	case <-q.abrupt:
		graceful = false
	default:
	}
	if !graceful && a.iwarp {
		// Without this the device would first execute the queued requests.
		a.lib.ModifyQP(q.h, &ibv.QPAttr{State: ibv.QPError}, ibv.QPAttrState)
	}
	if e := a.lib.Disconnect(q.id.ID); e != 0 || !a.iwarp {
		a.lib.ModifyQP(q.h, &ibv.QPAttr{State: ibv.QPError}, ibv.QPAttrState)
	}
	q.awaitCompletions(nil, flushTime, q.allDone)
	q.rcq.drive() // with the queue pair, the device may drop completions that are there
	a.dev.drain()
	ev := q.closeStatus(alone)
	q.takeDown()
	q.report(ev)
	q.id.close()
	close(q.ended)
}

// awaitMade waits until the establishment of the connection is complete, before the
// connection ends.
func (q *qp) awaitMade() {
	<-q.opened
	<-q.called
}

// workDone waits for the information that is lost when the queue pair is destroyed, and
// reports whether the device itself has ended the connection.
func (q *qp) workDone(graceful bool) (alone bool) {
	if graceful {
		q.waitHeard()
		q.probe()
		q.awaitCompletions(q.abrupt, 0, q.drained)
	}
	q.mu.Lock()
	if q.state == draining {
		q.state = ending
	}
	left := q.state == peerLeft
	alone = !q.asked && q.cause == nil && q.stopped()
	q.mu.Unlock()
	if left {
		q.awaitPeerStatus()
	}
	return alone
}

// awaitPeerStatus waits for the statuses that a peer sent before it left. The notice
// that it left takes another route and may overtake a refusal, which may be why it
// left.
func (q *qp) awaitPeerStatus() {
	q.awaitCompletions(nil, peerStatusTime, func() bool {
		q.mu.Lock()
		defer q.mu.Unlock()
		return q.cause != nil || q.sendDone()
	})
	q.mu.Lock()
	q.state = ending
	q.mu.Unlock()
}

// stopped asks the device whether the queue pair has left the ready state by
// itself. That happens when the device refuses a request of the peer or gives
// up on the peer, but not when the peer leaves. Called with mu held.
func (q *qp) stopped() bool {
	if q.ad.iwarp || q.h == 0 {
		return false
	}
	attr, _, e := q.ad.lib.QueryQP(q.h, ibv.QPAttrState)
	return e == 0 && attr.State == ibv.QPError
}

// closeStatus determines how the connection ended.
func (q *qp) closeStatus(alone bool) hca.ConnEvent {
	q.mu.Lock()
	asked, cause := q.asked, q.cause
	q.mu.Unlock()
	if cause == nil && !asked && !alone {
		cause = q.awaitReason()
	}
	switch {
	case cause != nil:
		return hca.ConnEvent{Kind: hca.EventBroken, Err: cause}
	case asked:
		return hca.ConnEvent{Kind: hca.EventDisconnected}
	case q.hasLeft() && !alone:
		return hca.ConnEvent{Kind: hca.EventDisconnected,
			Err: hca.NewError(hca.Disconnected, "connection", q.info.Remote, "the peer disconnected")}
	}
	return hca.ConnEvent{Kind: hca.EventBroken, Err: explainAlone(q.info.Remote)}
}

// awaitReason waits until this side knows what broke the connection, which it returns, or
// that the peer has left. Both may be reported after the completions that were flushed.
func (q *qp) awaitReason() (cause error) {
	q.awaitCompletions(q.left, reasonTime, func() bool {
		q.mu.Lock()
		defer q.mu.Unlock()
		cause = q.cause
		return cause != nil
	})
	return cause
}

// takeDown destroys the device's queue pair and flushes what is left.
func (q *qp) takeDown() {
	q.mu.Lock()
	q.unmake()
	q.mu.Unlock()
	q.flushAll()
}

// flushAll flushes the remaining requests when the device's queue pair is gone, and
// marks the queue pair as over: later posts are flushed at once.
func (q *qp) flushAll() {
	q.flush()
	q.mu.Lock()
	q.state = over
	q.mu.Unlock()
	q.flush() // what was posted meanwhile
	q.forget()
}

// flush takes the last completions from the queues and flushes what remains.
func (q *qp) flush() {
	q.scq.mu.Lock()
	q.scq.pull()
	q.send.flush(q.scq)
	q.scq.finish()
	q.rcq.mu.Lock()
	q.rcq.pull()
	q.recv.flush(q.rcq)
	q.rcq.finish()
}

// report reports the end to the consumer. All entries are in the completion queues by
// now.
func (q *qp) report(ev hca.ConnEvent) {
	if q.cfg.Event == nil || !q.ad.calls.enter() {
		return
	}
	defer q.ad.calls.leave()
	q.cfg.Event(ev)
	if q.srq != nil {
		q.cfg.Event(hca.ConnEvent{Kind: hca.EventLastReceive})
	}
}
