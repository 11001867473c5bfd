package soft

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/room"
)

// States of a queue pair. They only ever grow.
const (
	stNew     = iota // no connection yet
	stOpening        // connect or accept is under way
	stReady
	stClosing // graceful: what is posted is still done
	stOver    // posts are flushed at once
)

// qp is a queue pair. What all paths have in common is here: posting, states and the end.
// How it is connected is its transport's.
type qp struct {
	// What a post looks at comes first, on few cache lines: with thousands of
	// queue pairs they are not in the cache.
	pd        *pd
	scq       *cq
	owner     any // cfg.Owner
	state     atomic.Uint32
	sendDepth uint32       // cfg.SendDepth
	inboxed   atomic.Int32 // how many are in the inbox
	held      bool         // established is being reported: nothing may move yet

	// tx is the gate of the send side. Its holder has sq, held and what the transport
	// guards with it. Its counter is of requests posted whose entry has not been polled;
	// see room.go.
	tx    gate
	share *room.Share // of scq
	sq    sendRing
	inbox inbox

	a    *adapter
	cfg  hca.QPConfig
	rcq  *cq
	link atomic.Pointer[transport]

	rq      *recvq // its own, or srq's
	srq     *srq
	sendSGE int
	recvSGE int

	flush flushState

	faultTold atomic.Bool // see faulted

	mark atomic.Bool // queued at the engine

	rqDead bool // the queue of receives has been flushed; guarded by rq.mu

	// left counts what must happen before the end is reported: the send side
	// flushed, the receive side flushed, established reported.
	left     atomic.Int32
	finished chan struct{}

	mu     sync.Mutex // guards what follows, and transitions of state
	kind   hca.ConnEventKind
	cause  error
	told   bool // established has been (or is being) reported
	abort  func()
	closed bool

	gone atomic.Bool // closed, for posts
	// apart: it leaves, or has left, its completion queues, whose next user may be alone
	// there. A post that was admitted before it was closed can come later still.
	apart atomic.Bool
}

// inbox takes posts that found the gate shut.
type inbox struct {
	mu   sync.Mutex
	list []hca.SendWR
}

type flushState struct{ send, recv bool }

func (a *adapter) NewQP(cfg hca.QPConfig) (hca.QP, error) {
	const op = "new endpoint"
	p, ok := cfg.PD.(*pd)
	scq, ok2 := cfg.SendCQ.(*cq)
	rcq, ok3 := cfg.RecvCQ.(*cq)
	if !ok || !ok2 || !ok3 || p.a != a || scq.a != a || rcq.a != a {
		return nil, hca.NewError(hca.Invalid, op, "", "zone and completion queues must be of the same adapter")
	}
	at := &a.attr
	for _, l := range []struct {
		what      string
		n, limit  int
		mandatory bool
	}{
		{"send depth", cfg.SendDepth, at.MaxSendWR, false}, {"receive depth", cfg.RecvDepth, at.MaxRecvWR, false},
		{"send segments", cfg.SendSGE, at.MaxSGE, false}, {"receive segments", cfg.RecvSGE, at.MaxSGE, false},
		{"reads out", cfg.ReadsOut, at.MaxReadsOut, false}, {"reads in", cfg.ReadsIn, at.MaxReadsIn, false},
	} {
		if l.n < 0 || l.n > l.limit {
			return nil, hca.NewError(hca.Invalid, op, "", fmt.Sprintf("%s: %d is not in 0..%d", l.what, l.n, l.limit))
		}
	}
	q := &qp{
		a: a, pd: p, cfg: cfg, scq: scq, rcq: rcq, owner: cfg.Owner, sendDepth: uint32(cfg.SendDepth),
		sendSGE: max(cfg.SendSGE, 1), recvSGE: max(cfg.RecvSGE, 1),
		finished: make(chan struct{}),
	}
	if q.cfg.Event == nil {
		q.cfg.Event = func(hca.ConnEvent) {}
	}
	if cfg.SRQ != nil {
		s, ok := cfg.SRQ.(*srq)
		if !ok || s.pd.a != a {
			return nil, hca.NewError(hca.Invalid, op, "", "the shared receive queue is of another adapter")
		}
		if s.pd != p {
			return nil, hca.NewError(hca.Protection, op, "", "the shared receive queue belongs to another zone")
		}
		if err := s.attach(); err != nil {
			return nil, err
		}
		q.srq, q.rq = s, &s.recvq
	} else {
		q.rq = &recvq{depth: cfg.RecvDepth}
	}
	q.left.Store(3)
	if err := q.join(op); err != nil {
		return nil, err
	}
	return q, nil
}

// join enters the queue pair into everything it refers to, or into nothing.
func (q *qp) join(op string) error {
	undo := []func(){}
	fail := func(err error) error {
		for _, f := range undo {
			f()
		}
		return err
	}
	if q.srq != nil {
		undo = append(undo, func() { q.srq.detach(q) })
	}
	if err := q.pd.hold(op); err != nil {
		return fail(err)
	}
	undo = append(undo, q.pd.drop)
	if err := q.scq.attach(q); err != nil {
		return fail(err)
	}
	q.share = q.scq.room.Join(q.cfg.SendDepth, q.tx.used)
	undo = append(undo, q.leaveSends)
	if err := q.rcq.attach(q); err != nil {
		return fail(err)
	}
	if q.srq != nil {
		q.rcq.room.Share(q.srq, q.srq.Depth)
	} else {
		q.rcq.room.Promise(q.cfg.RecvDepth)
	}
	undo = append(undo, q.leaveReceives)
	if err := q.a.track(op, q); err != nil {
		return fail(err)
	}
	q.pd.addQP(q)
	return nil
}

// leaveSends and leaveReceives undo what join has entered in the completion queues.
func (q *qp) leaveSends() {
	q.share.Leave()
	q.scq.detach(q)
}

func (q *qp) leaveReceives() {
	if q.srq != nil {
		q.rcq.room.Unshare(q.srq)
	} else {
		q.rcq.room.Withdraw(q.cfg.RecvDepth, q.rq.left)
	}
	q.rcq.detach(q)
}

// gates are the words of those behind which memory of this queue pair's domain is used on
// its behalf.
func (q *qp) gates() [3]*atomic.Uint64 {
	g := [3]*atomic.Uint64{&q.tx.word}
	if t := q.transport(); t != nil {
		g[1], g[2] = t.gates()
	}
	return g
}

// hasGate tells whether a gate is one of this queue pair's own.
func (q *qp) hasGate(g *atomic.Uint64) bool {
	if g == &q.tx.word {
		return true
	}
	t := q.transport()
	if t == nil {
		return false
	}
	receiving, _ := t.gates()
	return g == receiving
}

func (q *qp) Outstanding() (requests, receives int) {
	q.lookForRoom()
	q.rq.mu.lock()
	if q.srq == nil {
		receives = q.rq.len()
	}
	q.rq.mu.unlock()
	q.tx.lock()
	requests = int(q.sq.tail-q.sq.head) + int(q.inboxed.Load())
	q.leave()
	return requests, receives
}

func (q *qp) Held() (buffers, span int) {
	if q.srq == nil {
		_, n := q.Outstanding()
		return n, n
	}
	return 0, 0
}

func (q *qp) Close() error {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		<-q.finished
		return nil
	}
	q.closed = true
	q.mu.Unlock()
	q.gone.Store(true)
	q.end(hca.EventDisconnected, nil)
	<-q.finished
	q.apart.Store(true)
	for _, g := range q.gates() {
		if g != nil {
			if t, held := watch(g); held {
				t.wait()
			}
		}
	}
	if t := q.transport(); t != nil {
		t.awaitApart()
	}
	q.pd.removeQP(q)
	q.leaveSends()
	q.leaveReceives()
	if q.srq != nil {
		q.srq.detach(q)
	}
	q.pd.drop()
	q.a.untrack(q)
	return nil
}
