package soft

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/hcatest"
	"github.com/godapl/godapl/internal/hca/ops"
	"github.com/godapl/godapl/internal/hca/soft/connreq"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/local"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
	"github.com/godapl/godapl/internal/hca/soft/recvhalf"
	"github.com/godapl/godapl/internal/hca/soft/sendhalf"
)

// This is the whole of a path, as short as one can be: two queue pairs of one process whose requests travel
// over Go channels. It has sends, writes and reads, and what package core adds to any path: windows, shared
// receive queues, rights that an endpoint refuses. It is here to be copied from, and to keep the interface of a
// path narrow: see "Adding a path" in docs/architecture.md.

const toyCaps = hca.CapSolicited | hca.CapSolicitedTold | hca.CapReceiveWait

func TestAToyPathConforms(t *testing.T) {
	hcatest.Run(t, hcatest.Harness{Name: "toy", Open: func(_ hcatest.TB, opt hca.Options) hca.Adapter {
		a := newAdapter(&driver{name: "toy"}, core.NewAttr("toy", "toy", toyCaps), opt)
		a.Paths = []core.Path{toyPath{}}
		a.listOpen()
		return a
	}})
}

// toyPath implements core.Path.
type toyPath struct{}

// toyServices are the listeners of the process.
var toyServices = struct {
	sync.Mutex
	m    map[uint64]*core.Listener
	next uint64
}{m: map[uint64]*core.Listener{}}

type toyService uint64

func (toyPath) Listen(_ context.Context, l *core.Listener) (core.Service, error) {
	s := &toyServices
	s.Lock()
	defer s.Unlock()
	if l.Service == 0 {
		s.next++
		l.Service = s.next + 1<<32
	}
	if s.m[l.Service] != nil {
		return nil, hca.NewError(hca.ServiceInUse, "listen", l.Addr(), "another listener has it")
	}
	s.m[l.Service] = l
	return toyService(l.Service), nil
}

func (s toyService) Serve() {}

func (s toyService) Close() {
	toyServices.Lock()
	delete(toyServices.m, uint64(s))
	toyServices.Unlock()
}

func (toyPath) Connect(ctx context.Context, q *core.QP, to core.PeerAddress, p hca.ConnParams) (found bool, err error) {
	toyServices.Lock()
	l := toyServices.m[to.Service]
	toyServices.Unlock()
	if l == nil {
		return false, hca.Wrap(hca.Refused, "connect", to.Name, "", connreq.ErrNobody)
	}
	link := local.Link{Path: "toy", Join: toyJoin}
	return true, link.Connect(ctx, q, l, to.Name, p)
}

func (toyPath) Skipped(core.PeerAddress, error) {}
func (toyPath) Close()                          {}

// toyConn implements core.Transport and sendhalf.Path. The send half copies requests into a channel; the peer's
// goroutine carries them out and answers each of them over another one. So both halves only ever touch the
// memory of their own side.
type toyConn struct {
	sendhalf.Half
	q     *core.QP
	out   toyLine // this side's requests and their answers
	in    toyLine // the peer's
	end   *toyEnd // both sides'
	sent  int     // requests without an answer; guarded by q.Tx
	reads int     // reads under way at most; 0: not agreed
	rx    gate.Recv
	came  chan struct{} // a receive was posted, or the time to wait for one is over
	recvhalf.Message
}

// toyWindow is how many requests are under way at most: as many as fit into a channel, so that nobody waits.
const toyWindow = 16

type toyLine struct {
	requests, answers chan *toyMessage
	answered          chan struct{} // there are answers
}

type toyMessage struct {
	op        hca.Op
	solicited bool
	key       hca.Key
	addr      uint64
	data      []byte     // to be received or written, or as read
	size      uint64     // of a read
	status    hca.Status // of an answer
}

// toyEnd is the end of a connection. The first side to end it sets the fields.
type toyEnd struct {
	once sync.Once
	kind hca.ConnEventKind
	over chan struct{}
}

func toyJoin(active, passive *core.QP, readsOut, readsIn int) (_, _ core.Transport, ok bool) {
	lines := [2]toyLine{}
	for i := range lines {
		lines[i] = toyLine{make(chan *toyMessage, toyWindow), make(chan *toyMessage, toyWindow), make(chan struct{}, 1)}
	}
	end := &toyEnd{over: make(chan struct{})}
	a := &toyConn{q: active, out: lines[0], in: lines[1], end: end, reads: readsOut, came: make(chan struct{}, 1)}
	p := &toyConn{q: passive, out: lines[1], in: lines[0], end: end, reads: readsIn, came: make(chan struct{}, 1)}
	a.InitSend(active, a)
	p.InitSend(passive, p)
	if !core.EstablishPair(active, a, passive, p) {
		return nil, nil, false
	}
	active.Adapter.Background.Go("toy", a.receive)
	passive.Adapter.Background.Go("toy", p.receive)
	return a, p, true
}

func (c *toyConn) CheckCaps(op hca.Op) error {
	switch {
	case op != hca.OpRead:
		return hca.NewError(hca.Unsupported, "post "+op.String(), "", "a toy has sends, writes and reads")
	case c.reads == 0:
		return core.ErrNoReads(op)
	}
	return nil
}

// The send half.

func (c *toyConn) Pump(deferred *core.Deferred) {
	q := c.q
	for q.SQ.Next != q.SQ.Tail && c.start(q.SQ.At(q.SQ.Next)) {
		q.SQ.Next++
	}
	q.Retire(0, deferred)
	if q.State.Load() == core.StateClosing && q.Inboxed.Load() == 0 && q.SQ.Empty() {
		q.MarkOver(hca.EventDisconnected, nil)
		c.hangUp(hca.EventDisconnected)
	}
	if q.State.Load() == core.StateOver {
		c.Flush(deferred)
	}
}

// start hands a request to the peer. It returns false if the request must wait, or has failed.
func (c *toyConn) start(r *core.SendReq) bool {
	q, wr := c.q, &r.WR
	first := c.sent == 0 // everything before it has been answered
	switch {
	case c.sent == toyWindow, wr.Flags&hca.Fence != 0 && !first:
		return false
	case wr.Op == hca.OpBind:
		status, ok := q.RunBind(r)
		if !ok || status != hca.StatusOK && !first {
			return false
		}
		return c.done(r, status)
	}
	m := &toyMessage{op: wr.Op, key: wr.RKey, addr: wr.Remote, size: r.Total, solicited: wr.Flags&hca.Solicited != 0}
	if ok := c.load(m, wr); !ok {
		return first && c.done(r, hca.StatusLocalProtection)
	}
	r.Begun = true
	c.sent++
	c.out.requests <- m
	return true
}

// load checks the memory of a request, and copies what the peer gets.
func (c *toyConn) load(m *toyMessage, wr *hca.SendWR) bool {
	if !core.LocalAll(c.q.PD, wr.Local, wr.More, ops.Of(wr.Op).Local) {
		return false
	}
	if wr.Op == hca.OpRead {
		return true
	}
	m.data = make([]byte, m.size)
	return c.q.Gather(m.data, wr.Local, wr.More, 0, wr.Op)
}

// done ends a request. It returns false if that ends the connection.
func (c *toyConn) done(r *core.SendReq, status hca.Status) bool {
	r.Done, r.Status = true, status
	if status != hca.StatusOK {
		c.q.BreakNow(core.WorkError(r.WR.Op, status))
		c.hangUp(hca.EventBroken)
	}
	return status == hca.StatusOK
}

func (c *toyConn) Flush(deferred *core.Deferred) {
	if c.q.Flushable() {
		c.q.FlushSend(deferred)
	}
}

// MakeRoom implements core.Transport: what the peer has answered is done, also if nobody has looked yet.
func (c *toyConn) MakeRoom() { c.takeAnswers() }

// takeAnswers takes the peer's answers. They are in the order of the requests, so they are taken inside the gate.
func (c *toyConn) takeAnswers() {
	c.q.Tx.Lock()
	for len(c.out.answers) > 0 {
		c.take(<-c.out.answers)
	}
	c.PumpSend()
	c.LeaveSend()
}

// take ends the oldest request without an answer.
func (c *toyConn) take(m *toyMessage) {
	q := c.q
	for i := q.SQ.Head; i != q.SQ.Next; i++ { // nothing, if it has been flushed
		r := q.SQ.At(i)
		if r.Done {
			continue
		}
		c.sent--
		status := m.status
		if wr := &r.WR; status == hca.StatusOK && wr.Op == hca.OpRead && !q.Scatter(wr.Local, wr.More, 0, m.data, hca.OpRead) {
			status = hca.StatusLocalProtection
		}
		c.done(r, status)
		return
	}
}

// The receive half.

func (c *toyConn) TryReceiving() bool { return c.rx.TryEnter() }
func (c *toyConn) LeaveReceiving()    { recvhalf.LeaveTo(&c.rx, c) }

func (c *toyConn) Gates() (receiving, peer *atomic.Uint64) { return &c.rx.Word, nil }

func (c *toyConn) ReceivePosted() { c.Schedule() }

// Schedule implements progress.Alarm.
func (c *toyConn) Schedule() {
	select {
	case c.came <- struct{}{}:
	default:
	}
}

// receive is the connection's goroutine. While a message waits for a receive, it takes no other request.
func (c *toyConn) receive() {
	defer c.over()
	var waiting *toyMessage
	for c.q.State.Load() != core.StateOver {
		requests := c.in.requests
		if waiting != nil {
			requests = nil
		}
		select {
		case waiting = <-requests:
		case <-c.came:
		case <-c.out.answered:
			c.takeAnswers()
			continue
		case <-c.end.over:
			return
		}
		if waiting != nil && c.serve(waiting) {
			waiting = nil
		}
	}
}

// serve carries out a request of the peer and answers it. It returns false if the request waits for a receive.
func (c *toyConn) serve(m *toyMessage) bool {
	var deferred core.Deferred
	c.rx.Lock()
	served := c.carryOut(m, &deferred)
	for c.rx.Leave() {
	}
	deferred.Finish()
	if served && m.status != hca.StatusOK {
		c.q.End(hca.EventBroken, hca.NewError(hca.Broken, "connection", "", "the peer's request was refused"))
	}
	return served
}

// answer gives a request back to the peer. That of a message comes before the completion of its receive: the
// program may answer the message at once, and the peer's program the answer.
func (c *toyConn) answer(m *toyMessage, status hca.Status) {
	m.status = status
	c.in.answers <- m
	select {
	case c.in.answered <- struct{}{}:
	default:
	}
}

func (c *toyConn) carryOut(m *toyMessage, deferred *core.Deferred) (served bool) {
	q := c.q
	if m.op != hca.OpSend {
		c.answer(m, c.access(m))
		return true
	}
	switch c.NeedReceive(q, c) {
	case core.MustWait:
		return false
	case core.Failed:
		c.answer(m, hca.StatusReceiverNotReady)
		return true
	}
	ours, theirs := c.Misfit(q, m.size)
	if ours == hca.StatusOK && !c.Place(q, 0, m.data) {
		ours, theirs = hca.StatusLocalProtection, hca.StatusRemoteOp
	}
	c.answer(m, theirs)
	if ours != hca.StatusOK {
		c.Fail(q, ours, deferred)
	} else {
		c.Complete(q, ops.Of(m.op).Delivers, m.size, 0, 0, m.solicited, deferred)
	}
	return true
}

// access carries out a write or read in memory of this side.
func (c *toyConn) access(m *toyMessage) hca.Status {
	mem, key, f := c.q.Adapter.Keys.Check(c.q, m.key, m.addr, m.size, ops.Of(m.op).Remote)
	if f != core.FaultNone {
		return hca.StatusRemoteAccess
	}
	if m.op == hca.OpRead {
		m.data = make([]byte, m.size)
	}
	for off := 0; off < len(mem); {
		var n int
		var at uint64
		if m.op == hca.OpRead {
			n, at = rawmem.TryPiece(m.data[off:], mem[off:], key.Frail)
		} else {
			n, at = rawmem.TryWrite(mem[off:], m.data[off:], true, key.Frail)
		}
		if off += n; at != 0 {
			c.q.Faulted(at, m.op.String()+" of the peer's")
			return hca.StatusRemoteAccess
		}
	}
	return hca.StatusOK
}

// The end.

func (c *toyConn) End(kind hca.ConnEventKind, _ error) { c.hangUp(kind) }

func (c *toyConn) hangUp(kind hca.ConnEventKind) {
	c.end.once.Do(func() {
		c.end.kind = kind
		close(c.end.over)
	})
}

// over is the last that the goroutine does. Answers that came before the end are taken.
func (c *toyConn) over() {
	<-c.end.over
	c.takeAnswers()
	code, why := hca.Disconnected, "the peer disconnected"
	if c.end.kind == hca.EventBroken {
		code, why = hca.Broken, "the peer broke it"
	}
	c.q.End(c.end.kind, hca.NewError(code, "connection", "", why)) // nothing, if this side has ended it
	var deferred core.Deferred
	c.rx.Lock()
	c.Message.Flush(c.q, &deferred)
	for c.rx.Leave() {
	}
	deferred.Finish()
}
