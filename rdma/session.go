package rdma

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// session is an endpoint's connection from the attempt to the end, with its queue pair. It is the
// owner in the adapter's completions.
type session struct {
	// The fields of the post and completion fast paths come first, on one cache line.
	ep *Endpoint
	// path is the connection's poster, if direct is set: see poster.
	direct atomic.Bool
	path   hca.Poster
	// Constant.
	zoneID      uint64
	maxMessage  uint64
	maxTransfer uint64

	holdback holdback // keeps completions behind ESTABLISHED

	qp           hca.QP
	queue        hca.Poster // qp
	zone         *Zone
	readNeeds    mem.Rights
	sendSegments int
	recvSegments int
	shared       bool // receives are of a shared queue
	recvQ, sendQ *CompletionQueue
	bindQ        *CompletionQueue // nil: binds complete in sendQ

	conn    atomic.Pointer[Conn]
	private []byte // of the request, on the accepting side
	abort   context.CancelCauseFunc
	left    leaving                   // what was asked for while the connection was being made; guarded by ep.mu
	full    atomic.Pointer[hca.Error] // the refusal of the latest post that found no room
	broken  atomic.Pointer[hca.Error] // the reason if this side broke the connection
	reset   atomic.Bool               // the endpoint is being reset or has been reset
	ending  atomic.Bool               // the end is about to be reported
	ended   chan struct{}             // closed when the end has been reported or needs no report

	flight *flightLog // nil: there is no flight recorder

	last    Stats // as they were read last
	counted bool  // they are in the endpoint's past

	pending pendingOps
	scratch slicePool // for the values of atomics
	bounce  slicePool // for ReaderAt and WriterAt
}

// newLink creates the queue pair of an endpoint. The caller holds e.mu.
func newSession(e *Endpoint) (*session, error) {
	cfg, attr := &e.cfg, e.adapter.attr
	sess := &session{
		ep: e, zoneID: cfg.Zone.number, zone: cfg.Zone,
		maxMessage: limit32(attr.MaxMessage), maxTransfer: limit32(attr.MaxRDMA), readNeeds: mem.LocalWrite,
		sendSegments: cfg.SendSegments, recvSegments: cfg.RecvSegments,
		recvQ: e.recvQ, sendQ: e.sendQ, bindQ: cfg.BindCQ, ended: make(chan struct{}),
	}
	if attr.Caps&hca.CapReadNeedsWrite != 0 {
		sess.readNeeds |= mem.RemoteWrite
	}
	sess.pending.init(sess)
	sess.scratch.init(sess.zone.memory, mem.Local, 8, mem.PageSize())
	sess.bounce.init(sess.zone.memory, sess.readNeeds|mem.LocalRead, bounceChunk, bounceChunk*bounceChunks)
	var srq hca.SRQ
	if cfg.SharedReceives != nil {
		srq, sess.shared = cfg.SharedReceives.srq, true
	}
	sess.holdback.init(cfg.ConnEvents, e.recvQ, e.sendQ, cfg.BindCQ)
	qp, err := e.adapter.hca.NewQP(hca.QPConfig{
		PD: cfg.Zone.pd, SendCQ: e.sendQ.cq, RecvCQ: e.recvQ.cq, SRQ: srq,
		SendDepth: cfg.SendDepth, RecvDepth: cfg.RecvDepth, SendSGE: cfg.SendSegments, RecvSGE: cfg.RecvSegments,
		ReadsOut: max(cfg.ReadsOut, 0), ReadsIn: max(cfg.ReadsIn, 0), SolicitQuiet: cfg.SolicitedOnly,
		Refuse: hca.Access(cfg.Refuse), Record: e.adapter.recording, Latency: e.adapter.latency,
		Owner: sess, Event: sess.event,
	})
	if err != nil {
		return nil, err
	}
	if e.adapter.recording {
		sess.flight = new(flightLog)
	}
	sess.qp = qp
	sess.queue = posterOf(qp)
	return sess, nil
}

// maxSegment is the maximum length of a piece: a segment's length has 32 bits.
const maxSegment = math.MaxUint32

// limit32 is a limit in bytes, where 0 means no limit.
func limit32(n uint64) uint64 {
	if n == 0 || n > maxSegment {
		return maxSegment
	}
	return n
}

// event handles a connection event of the adapter.
func (sess *session) event(ev hca.ConnEvent) {
	switch ev.Kind {
	case hca.EventEstablished:
		sess.established(ev.Info)
	case hca.EventDisconnected:
		sess.over(Disconnected, &hca.Error{Op: "connection", Object: sess.object(), Code: hca.Disconnected, Err: ev.Err})
	case hca.EventBroken:
		cause := &hca.Error{Op: "connection", Object: sess.object(), Code: hca.Broken, Err: ev.Err}
		if e, ok := ev.Err.(*hca.Error); ok && e.Refused != 0 {
			cause.Refused, cause.Status = e.Refused, e.Status
		}
		sess.over(Broken, cause)
	case hca.EventLastReceive:
		sess.ep.adapter.async.tell(AsyncError{Kind: AsyncLastReceive, Endpoint: sess.ep})
	}
}

func (sess *session) established(info *hca.ConnInfo) {
	ctx, cancel := context.WithCancelCause(context.Background())
	c := &Conn{ep: sess.ep, session: sess, info: *info, ctx: ctx, cancel: cancel, private: info.Private}
	if sess.private != nil {
		c.private = sess.private
	}
	if info.Poster != nil {
		sess.path = info.Poster
		sess.direct.Store(true)
	}
	sess.flight.note(FlightEstablished)
	sess.conn.Store(c)
	sess.ep.adapter.met.established.Add(1)
	c.logMade()
	sess.ep.connected(sess, c)
	ev := &ConnEvent{Kind: Established, Endpoint: sess.ep, Conn: c}
	if !sess.holdback.established(ev) {
		sess.ep.tell(ev, false)
	}
	sess.ep.lookAtMarks(0)
}

// over reports the end after the last completion.
func (sess *session) over(kind ConnEventKind, cause *hca.Error) {
	c := sess.conn.Load()
	if why := sess.broken.Load(); why != nil && kind == Disconnected {
		kind, cause = Broken, &hca.Error{Op: cause.Op, Object: cause.Object, Code: hca.Broken, Err: why}
	}
	if met := &sess.ep.adapter.met; c != nil && kind == Disconnected {
		met.disconnected.Add(1)
	} else if c != nil {
		met.broken.Add(1)
	}
	if kind == Broken {
		sess.flight.note(FlightBroken)
		cause.Flight = sess.flightEvents()
		if c != nil {
			c.logLost(cause)
		}
	} else {
		sess.flight.note(FlightEnded)
	}
	sess.ep.disconnected(sess)
	sess.ending.Store(true)
	report := func() {
		sess.ep.tell(&ConnEvent{Kind: kind, Endpoint: sess.ep, Conn: c, Err: cause}, true)
		if c != nil {
			c.cancel(cause)
		}
		close(sess.ended)
	}
	if sess.shared {
		sess.ep.adapter.ends.report(report)
	} else {
		report()
	}
}

// awaitEnd waits for the report of the end, if there is one, after the queue pair has been closed: another goroutine
// may be about to make it.
func (sess *session) awaitEnd() {
	if sess.ending.Load() {
		<-sess.ended
	}
}

// dismantle frees the session's resources after its queue pair is closed.
func (sess *session) dismantle() {
	sess.holdback.release()
	sess.recvQ.pump()
	sess.sendQ.pump()
	sess.pending.failAll()
	sess.scratch.free()
	sess.bounce.free()
}
