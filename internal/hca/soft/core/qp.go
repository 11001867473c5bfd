package core

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/flight"
	"github.com/godapl/godapl/internal/hca/room"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/receives"
	"github.com/godapl/godapl/internal/hca/soft/reqtime"
)

// States of a queue pair, in the order in which they follow each other.
const (
	StateNew     = iota // no connection yet
	StateOpening        // a connect or accept is under way
	StateReady
	StateClosing // graceful end: posted requests are still carried out
	StateOver    // posts are flushed at once
)

// QP is a queue pair: the part that all paths share, which is posting, states and the end. Its transport is the
// connection.
type QP struct {
	// A post uses the first two cache lines: with thousands of queue pairs they are not in the cache. The first one
	// is written rarely, so a peer of this process that completes receives here shares it with the posts.
	PD        *PD
	SendCQ    *CQ
	Owner     any // Config.Owner
	State     atomic.Uint32
	SendDepth uint32       // Config.SendDepth
	Inboxed   atomic.Int32 // number of posts in the inbox
	Reporting bool         // the established event is being reported: nothing may be sent yet
	recorded  bool         // flight or SQ.times is not nil; constant
	RecvCQ    *CQ
	RQ        *receives.Queue // its own, or SRQ's

	// Tx is the gate of the send half. It guards SQ, Flush, and what the transport guards with it. It counts
	// the requests posted whose entry has not been taken; see room.go.
	Tx    gate.Send
	SQ    SendQueue
	inbox inbox
	sent  sendCounts // guarded by Tx

	Adapter *Adapter
	Config  hca.QPConfig
	share   *room.Share // of SendCQ

	transport atomic.Pointer[Transport]
	// flight records the last events, if it is not nil. Its halves are guarded as sent and received are.
	flight *flight.Recorder

	SRQ     *SRQ
	turn    turn // among the queue pairs of SRQ
	Flush   flushState
	rqDead  bool        // the receive queue has been flushed; guarded by RQ.Mu
	Gone    atomic.Bool // closed for posts, and set before Close looks who is inside a gate
	sendSGE int
	recvSGE int

	faultReported atomic.Bool // see Faulted
	mark          atomic.Bool // queued at the engine
	// leavingCQs: the queue pair leaves, or has left, its completion queues, which may then have a single other
	// producer. A post that was admitted before Close can still come.
	leavingCQs atomic.Bool
	// endsPending counts what must happen before the end is reported: send half flushed, receive half flushed,
	// established event reported.
	endsPending atomic.Int32
	Finished    chan struct{}

	StateMu  sync.Mutex // guards the fields up to received, and changes of State
	Kind     hca.ConnEventKind
	reported bool // the established event is reported, or is being reported
	closed   bool
	cause    error
	abort    func()

	// received is written for each message, by a peer of this process too: no field that a post reads is on its
	// cache lines.
	received recvCounts // see there
}

// inbox holds posts that found the gate shut.
type inbox struct {
	mu   sync.Mutex
	list []hca.SendWR
}

type flushState struct{ Send, recv bool }

func (a *Adapter) NewQP(cfg hca.QPConfig) (hca.QP, error) {
	const op = "new endpoint"
	p, ok := cfg.PD.(*PD)
	scq, ok2 := cfg.SendCQ.(*CQ)
	rcq, ok3 := cfg.RecvCQ.(*CQ)
	if !ok || !ok2 || !ok3 || p.Adapter != a || scq.adapter != a || rcq.adapter != a {
		return nil, hca.NewError(hca.Invalid, op, "", "zone and completion queues must be of the same adapter")
	}
	at := &a.Attrs
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
	if cfg.Refuse&^hca.RemoteAll != 0 {
		return nil, hca.NewError(hca.Invalid, op, "", fmt.Sprintf("only remote rights can be refused, not %v", cfg.Refuse&^hca.RemoteAll))
	}
	q := &QP{
		Adapter: a, PD: p, Config: cfg, SendCQ: scq, RecvCQ: rcq, Owner: cfg.Owner, SendDepth: uint32(cfg.SendDepth),
		sendSGE: max(cfg.SendSGE, 1), recvSGE: max(cfg.RecvSGE, 1),
		Finished: make(chan struct{}),
	}
	if cfg.Record {
		q.flight = &flight.Recorder{Clock: a.flightClock()}
	}
	if cfg.Latency {
		q.SQ.times = new(reqtime.Times)
	}
	q.recorded = cfg.Record || cfg.Latency
	if q.Config.Event == nil {
		q.Config.Event = func(hca.ConnEvent) {}
	}
	if cfg.SRQ != nil {
		s, ok := cfg.SRQ.(*SRQ)
		if !ok || s.pd.Adapter != a {
			return nil, hca.NewError(hca.Invalid, op, "", "the shared receive queue is of another adapter")
		}
		if s.pd != p {
			return nil, hca.NewError(hca.Protection, op, "", "the shared receive queue belongs to another zone")
		}
		if err := s.attach(); err != nil {
			return nil, err
		}
		q.SRQ, q.RQ = s, &s.Queue
	} else {
		q.RQ = &receives.Queue{Limit: cfg.RecvDepth}
	}
	q.endsPending.Store(3)
	if err := q.join(op); err != nil {
		return nil, err
	}
	return q, nil
}

// join enters the queue pair into everything it refers to, or into nothing.
func (q *QP) join(op string) error {
	undo := []func(){}
	fail := func(err error) error {
		for _, f := range undo {
			f()
		}
		return err
	}
	if q.SRQ != nil {
		undo = append(undo, func() { q.SRQ.detach(q) })
	}
	if err := q.PD.hold(op); err != nil {
		return fail(err)
	}
	undo = append(undo, q.PD.drop)
	if err := q.SendCQ.attach(q); err != nil {
		return fail(err)
	}
	q.share = q.SendCQ.room.Join(q.Config.SendDepth, q.Tx.Used)
	undo = append(undo, q.leaveSends)
	if err := q.RecvCQ.attach(q); err != nil {
		return fail(err)
	}
	if q.SRQ != nil {
		q.RecvCQ.room.Share(q.SRQ, q.SRQ.Depth)
	} else {
		q.RecvCQ.room.Promise(q.Config.RecvDepth)
	}
	undo = append(undo, q.leaveReceives)
	if err := q.Adapter.Track(op, q); err != nil {
		return fail(err)
	}
	q.PD.addQP(q)
	q.SendCQ.stretch()
	q.RecvCQ.stretch() // behind addQP: a resize of the shared queue from now on finds this one
	return nil
}

// leaveSends and leaveReceives undo what join has entered in the completion queues.
func (q *QP) leaveSends() {
	q.share.Leave()
	q.SendCQ.detach(q)
}

func (q *QP) leaveReceives() {
	if q.SRQ != nil {
		q.RecvCQ.room.Unshare(q.SRQ, q.SRQ.untaken)
	} else {
		q.RecvCQ.room.Withdraw(q.Config.RecvDepth, q.RQ.UsedAfterEnd)
	}
	q.RecvCQ.detach(q)
}

// gates returns the words of the gates inside which memory of this domain is accessed for this queue pair.
func (q *QP) gates() [3]*atomic.Uint64 {
	g := [3]*atomic.Uint64{&q.Tx.Word}
	if t := q.Transport(); t != nil {
		g[1], g[2] = t.Gates()
	}
	return g
}

// hasGate reports whether a gate is one of this queue pair's own.
func (q *QP) hasGate(g *atomic.Uint64) bool {
	if g == &q.Tx.Word {
		return true
	}
	t := q.Transport()
	if t == nil {
		return false
	}
	receiving, _ := t.Gates()
	return g == receiving
}

func (q *QP) Outstanding() (requests, receives int) {
	q.reclaimSlots()
	q.RQ.Mu.Lock()
	if q.SRQ == nil {
		receives = q.RQ.Len()
	}
	q.RQ.Mu.Unlock()
	q.Tx.Lock()
	requests = int(q.SQ.Tail-q.SQ.Head) + int(q.Inboxed.Load())
	q.LeaveTx()
	return requests, receives
}

func (q *QP) Held() (buffers, span int) {
	if q.SRQ == nil {
		_, n := q.Outstanding()
		return n, n
	}
	return 0, 0
}

func (q *QP) Close() error {
	q.StateMu.Lock()
	if q.closed {
		q.StateMu.Unlock()
		<-q.Finished
		return nil
	}
	q.closed = true
	q.StateMu.Unlock()
	q.Gone.Store(true)
	q.End(hca.EventDisconnected, nil)
	<-q.Finished
	q.leavingCQs.Store(true)
	for _, g := range q.gates() {
		if g != nil {
			if t, held := gate.Watch(g); held {
				t.Wait()
			}
		}
	}
	if t := q.Transport(); t != nil {
		t.AwaitTeardown()
	}
	q.PD.removeQP(q)
	q.leaveSends()
	q.leaveReceives()
	if q.SRQ != nil {
		q.SRQ.detach(q)
	}
	q.PD.drop()
	q.Adapter.Untrack(q)
	return nil
}
