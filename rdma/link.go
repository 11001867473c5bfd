package rdma

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// link is an endpoint's connection from the attempt to the end, with its queue pair. It is the
// owner in the adapter's completions.
type link struct {
	// The fields of the post and completion fast paths come first, on one cache line.
	ep *Endpoint
	// path is the connection's poster, if direct is set: see poster.
	direct atomic.Bool
	path   hca.Poster
	// Constant.
	zoneID      uint64
	maxMessage  uint64
	maxTransfer uint64

	line line // keeps completions behind ESTABLISHED

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
	full    atomic.Pointer[hca.Error] // the refusal of the latest post that found no room
	broken  atomic.Pointer[hca.Error] // the reason if this side broke the connection
	reset   atomic.Bool               // the endpoint is being reset or has been reset
	ended   chan struct{}             // closed when the end has been reported or needs no report

	calls   callTable
	scratch slicePool // for the values of atomics
	bounce  slicePool // for ReaderAt and WriterAt
}

// newLink creates the queue pair of an endpoint. The caller holds e.mu.
func newLink(e *Endpoint) (*link, error) {
	cfg, attr := &e.cfg, e.adapter.attr
	l := &link{
		ep: e, zoneID: cfg.Zone.number, zone: cfg.Zone,
		maxMessage: limit32(attr.MaxMessage), maxTransfer: limit32(attr.MaxRDMA), readNeeds: mem.LocalWrite,
		sendSegments: cfg.SendSegments, recvSegments: cfg.RecvSegments,
		recvQ: e.recvQ, sendQ: e.sendQ, bindQ: cfg.BindCQ, ended: make(chan struct{}),
	}
	if attr.Caps&hca.CapReadNeedsWrite != 0 {
		l.readNeeds |= mem.RemoteWrite
	}
	l.calls.init(l)
	l.scratch.init(l.zone.memory, mem.Local, 8, mem.PageSize())
	l.bounce.init(l.zone.memory, l.readNeeds|mem.LocalRead, bounceChunk, bounceChunk*bounceChunks)
	var srq hca.SRQ
	if cfg.SharedReceives != nil {
		srq, l.shared = cfg.SharedReceives.srq, true
	}
	l.line.init(cfg.ConnEvents, e.recvQ, e.sendQ, cfg.BindCQ)
	qp, err := e.adapter.hca.NewQP(hca.QPConfig{
		PD: cfg.Zone.pd, SendCQ: e.sendQ.cq, RecvCQ: e.recvQ.cq, SRQ: srq,
		SendDepth: cfg.SendDepth, RecvDepth: cfg.RecvDepth, SendSGE: cfg.SendSegments, RecvSGE: cfg.RecvSegments,
		ReadsOut: max(cfg.ReadsOut, 0), ReadsIn: max(cfg.ReadsIn, 0), SolicitQuiet: cfg.SolicitedOnly,
		Owner: l, Event: l.event,
	})
	if err != nil {
		return nil, err
	}
	l.qp = qp
	l.queue = posterOf(qp)
	return l, nil
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
func (l *link) event(ev hca.ConnEvent) {
	switch ev.Kind {
	case hca.EventEstablished:
		l.established(ev.Info)
	case hca.EventDisconnected:
		l.over(Disconnected, &hca.Error{Op: "connection", Object: l.object(), Code: hca.Disconnected, Err: ev.Err})
	case hca.EventBroken:
		l.over(Broken, &hca.Error{Op: "connection", Object: l.object(), Code: hca.Broken, Err: ev.Err})
	case hca.EventLastReceive:
		l.ep.adapter.async.tell(AsyncError{Kind: AsyncLastReceive, Endpoint: l.ep})
	}
}

func (l *link) established(info *hca.ConnInfo) {
	ctx, cancel := context.WithCancelCause(context.Background())
	c := &Conn{ep: l.ep, link: l, info: *info, ctx: ctx, cancel: cancel, private: info.Private}
	if l.private != nil {
		c.private = l.private
	}
	if info.Poster != nil {
		l.path = info.Poster
		l.direct.Store(true)
	}
	l.conn.Store(c)
	l.ep.connected(l, c)
	ev := &ConnEvent{Kind: Established, Endpoint: l.ep, Conn: c}
	if !l.line.established(ev) {
		l.ep.tell(ev, false)
	}
	l.ep.lookAtMarks(0)
}

// over reports the end after the last completion.
func (l *link) over(kind ConnEventKind, cause *hca.Error) {
	c := l.conn.Load()
	if why := l.broken.Load(); why != nil && kind == Disconnected {
		kind, cause = Broken, &hca.Error{Op: cause.Op, Object: cause.Object, Code: hca.Broken, Err: why}
	}
	l.ep.disconnected(l)
	l.end(&ConnEvent{Kind: kind, Endpoint: l.ep, Conn: c, Err: cause})
	if c != nil {
		c.cancel(cause)
	}
	close(l.ended)
}

// end reports the end. A sink may forward the end of an endpoint with a shared receive queue
// to a second place, as uDAPL does. So these reports are serialized, to keep the same order in
// both places.
func (l *link) end(ev *ConnEvent) {
	if l.shared {
		l.ep.adapter.ends.Lock()
		defer l.ep.adapter.ends.Unlock()
	}
	l.ep.tell(ev, true)
}

// dismantle frees the link's resources after its queue pair is closed.
func (l *link) dismantle() {
	l.line.release()
	l.recvQ.pump()
	l.sendQ.pump()
	l.calls.failAll()
	l.scratch.free()
	l.bounce.free()
}
