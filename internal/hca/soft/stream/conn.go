package stream

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/ops"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/hca/soft/recvhalf"
	"github.com/godapl/godapl/internal/hca/soft/sendhalf"
	"github.com/godapl/godapl/internal/hca/soft/stream/captured"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/shm"
)

// A Conn is a connection over a stream: iWARP. Gate rx guards its receive half, the queue pair's gate Tx its
// send half. The halves communicate through the two queues in sharedState and never wait for each other.
type Conn struct {
	progress.PollState
	q *core.QP
	a *core.Adapter
	p *Path
	w wire.Wire

	crc       bool
	markers   bool // the peer requests them
	initiator bool
	mulpdu    atomic.Int32
	aligned   atomic.Bool // each FPDU is a TCP record of its own; see fpdu_align.go
	ird, ord  int         // reads and atomics under way at most: the peer's, ours
	peerORD   int         // reads that the peer intends to have under way
	peer      atomic.Uint32
	maySend   atomic.Bool // this side may send; a responder waits for the initiator's first FPDU

	rx        gate.Recv
	in        receiver
	noPlacing atomic.Bool // the receive half places nothing any more: see pumpRxOver

	out   sender             // guarded by q.tx
	stall progress.WaitTimer // a request waits until the peer is identified; guarded by q.tx

	shared    sharedState
	fault     readFault
	terminate []byte // a Terminate to send; guarded by shared.mu
	remote    string

	started       atomic.Bool  // the established event has been reported
	lateRound     uint32       // the watch's round that has found requests waiting; the watch's
	bytesRead     atomic.Int64 // bytes read so far
	mark          atomic.Bool  // queued at the engine
	stalled       atomic.Bool  // a message waits for a receive
	resumable     atomic.Bool  // the next poll has work that was left for it: see resume
	fin           atomic.Bool  // the peer has ended its side; known while a message waits for a receive
	blocked       atomic.Bool  // the send half waits until the stream accepts bytes
	txIdle        atomic.Bool  // nothing was being sent at the last poll
	reset         atomic.Bool  // a write returned the reset, so a read will not
	coalesced     atomic.Int32
	noted         [2]atomic.Bool // see noteCoalesced
	polledNoted   [2]atomic.Bool // see core.QP.NotePolled
	immediateLeft atomic.Int32   // requests that are still to be written at once
	immediateNext atomic.Int32   // how many the next time; 0: the least
	lastPolls     uint64         // poll count at which a request was last written at once; guarded by q.tx
	inOrder       bool           // this side has ended in order, with nothing left to send; guarded by q.tx
	ending        atomic.Bool
	sendhalf.Half

	records records // of TLS; nil if there are none, or if goroutines read them

	parker  atomic.Pointer[core.CQ] // the queue whose consumer watches the socket: see Park
	parks   atomic.Bool             // a consumer has parked it lately
	emptied atomic.Bool             // it was woken there, and has read all: its next poll need not look, its next sleep does
}

// What is known about the peer.
const (
	peerUnknown = iota // it has not sent anything yet
	peerGodapl         // this library: extensions and large segments are supported
	peerOther
)

// sharedState holds the data that the two halves exchange.
type sharedState struct {
	mu     sync.Mutex
	resps  []response  // to send to the peer, oldest first; at most ird
	reads  []pending   // requested from the peer, oldest first; at most ord
	nudger *time.Timer // see siw_nudge.go; may be nil
	// silence is how long a responder waits for the initiator's first frame before it sends by itself; 0:
	// without limit.
	silence  time.Duration
	greeting bool // this side has sent, or will send, a greeting

	readsDone atomic.Uint32 // reads completed since the connection began
	respCount atomic.Int32  // len(resps)
	hello     atomic.Bool   // the send half owes a greeting
	greetRead bool          // the greeting is a Read Request; set before data moves
}

// A response is this side's answer to a Read Request or an Atomic Request.
type response struct {
	atomic  bool
	id      uint32    // atomic
	value   uint64    // atomic: the value before the operation
	request iwarp.MSN // read: of the request
	sink    iwarp.STag
	sinkTO  iwarp.TO
	source  hca.Key
	from    uint64
	size    uint64
	off     uint64
}

// pending is a read or atomic under way: where the response is to be placed.
type pending struct {
	op    hca.Op
	local hca.Segment
	more  []hca.Segment
	total uint64
	off   uint64
	stag  iwarp.STag
	msn   iwarp.MSN // of the request
}

// The greeting identifies this library to a peer of this library, within the standard: a Write of length zero is
// not placed and its key is not checked, so its target can carry a message.
const (
	greetSTag iwarp.STag = 1
	greetTO   iwarp.TO   = 0x676f6461706c0001 // "godapl", version 1
)

func (p *Path) newConn(q *core.QP, initiator bool) *Conn {
	c := &Conn{q: q, a: q.Adapter, p: p, initiator: initiator}
	c.InitSend(q, c)
	c.maySend.Store(initiator)
	c.out.init()
	c.in.init()
	c.txIdle.Store(true)
	return c
}

// attach takes the stream over after the startup, with the bytes that were read beyond it.
func (c *Conn) attach(conn net.Conn, early []byte) error {
	c.in.push(early)
	conn, flow := captured.Unwrap(conn)
	c.align(conn)
	w, err := c.newWire(conn)
	if err != nil {
		_ = conn.Close()
		if flow != nil {
			flow.Close()
		}
		return hca.Wrap(hca.Resources, "connect", "", "", err)
	}
	c.records, _ = w.(records)
	c.w = captured.WrapWire(w, flow)
	return nil
}

// start lets data move.
func (c *Conn) start() {
	c.q.SendCQ.AddConn(c)
	if c.q.RecvCQ != c.q.SendCQ {
		c.q.RecvCQ.AddConn(c)
	}
	c.started.Store(true)
	c.Schedule() // for bytes that arrived during the startup
	c.Arm()
}

// Arm requests the events that the connection can use. If a message waits for a receive, further bytes must not
// cause an event, but the end of the stream must.
func (c *Conn) Arm() {
	stalled := c.stalled.Load()
	c.w.Arm(!stalled, c.blocked.Load())
	if stalled {
		c.w.ArmEnd(!c.fin.Load())
	}
}

func (c *Conn) stop() {
	c.q.SendCQ.RemoveConn(c)
	c.q.RecvCQ.RemoveConn(c)
	c.a.Background.Unwatch(c)
	c.endNudge()
}

func (c *Conn) CheckCaps(op hca.Op) error {
	switch {
	case op == hca.OpSendImm:
		return hca.NewError(hca.Unsupported, "post "+op.String(), "", "iWARP has no sends with immediate data: use a write with immediate data")
	case ops.HasResponse(op) && c.ord == 0:
		return core.ErrNoReads(op)
	case extended(op) && c.peer.Load() == peerOther:
		return hca.NewError(hca.Unsupported, "post "+op.String(), "", "the peer is not known to have the extensions of RFC 7306")
	}
	return nil
}

// Schedule has the engine run the connection.
func (c *Conn) Schedule()    { c.a.Engine.Schedule(c) }
func (c *Conn) Queued() bool { return c.mark.CompareAndSwap(false, true) }
func (c *Conn) Claim()       { c.mark.Store(false) }

// Run reads and writes what it can. It reports whether there is more to do at once.
func (c *Conn) Run() bool {
	if !c.started.Load() {
		return false // bytes may arrive before the connection may read them
	}
	before := c.bytesRead.Load()
	more, inside := c.readWrite()
	switch {
	case inside && !more && c.parker.Load() != nil && c.bytesRead.Load() != before:
		return true // arming tells nothing of a parked connection: read until nothing is left
	case !inside:
		// The goroutine inside the gate reads on, but perhaps not at once: it may be waiting for a processor.
		// Arming now would only cause the same event again and again.
		c.a.Background.Watch(c)
	case !more:
		c.armRecv()
	}
	return more
}

func (c *Conn) readWrite() (more, inside bool) {
	more, inside = c.runRx()
	if c.uncoalesce() || c.blocked.Load() || c.shared.respCount.Load() > 0 || c.q.Inboxed.Load() > 0 {
		c.RunSend()
	}
	return more, inside
}

// armRecv makes sure that the next bytes are noticed.
func (c *Conn) armRecv() {
	if c.Polled.Load() {
		c.a.Background.Watch(c) // the polling consumer finds them
	} else if c.q.State.Load() != core.StateOver {
		c.Arm()
	}
}

// event handles a ready stream: it runs the connection on the poller's goroutine. It reports whether to run it
// again after the others.
//
// The bytes of a bulk transfer arrive faster than a sleep and a wake-up take. So after a large piece, event
// polls for more for a while. It stops after rxRunBytes bytes; more bytes wait for its next run.
func (c *Conn) event(first bool) (again bool) {
	if !c.started.Load() || first && c.mark.Load() {
		return false // start arms; or the engine has the connection queued and will read
	}
	bulk, start := false, c.bytesRead.Load()
	for tries := 0; tries < bulkTries && c.bytesRead.Load()-start < rxRunBytes; tries++ {
		before := c.bytesRead.Load()
		more, inside := c.readWrite()
		got := c.bytesRead.Load() - before
		switch {
		case more:
			c.Schedule()
			return false
		case !inside:
			c.a.Background.Watch(c) // see Run
			return false
		case c.Polled.Load(), c.stalled.Load(), first && tries == 0 && got < bulkPiece:
			c.armRecv() // arming tells if something arrived meanwhile
			return false
		case got >= bulkPiece:
			bulk = true
		}
	}
	if !bulk {
		c.armRecv()
	}
	return bulk
}

const (
	bulkPiece = 16 << 10
	bulkTries = 100 // about as long as a wake-up takes
)

// yieldToPeer lets the other side of a bulk transfer run for about a microsecond. Each read locks the socket, even
// if it finds nothing, and then delays the kernel and the peer, which need the same lock.
func yieldToPeer() {
	for range 64 {
		shm.Pause()
	}
}

// bulkBreaths is how many empty reads are spaced out after a large piece.
const bulkBreaths = 16

// Poll makes progress on a consumer's goroutine.
func (c *Conn) Poll(queue *core.CQ, _ *hca.WC) (one bool) {
	if polled := c.Polled.Load(); !polled || !queue.FewConns() { // another consumer that has stored it may not have noted it yet
		if !polled {
			c.Polled.Store(true)
		}
		c.q.NotePolled(c, &c.polledNoted)
	}
	if c.uncoalesce() || c.blocked.Load() {
		c.RunSend()
	} else if !c.txIdle.Load() {
		c.txIdle.Store(true)
	}
	if c.emptied.Load() && !c.stalled.Load() {
		c.emptied.Store(false)
	} else if c.rx.TryEnter() && c.finishRecv() {
		c.resume(queue)
	}
	if !c.Polled.Load() {
		c.Arm() // the consumer of the other queue sleeps now, and has armed what was to be armed before this poll
	}
	return false
}

// SharesMemory implements core.Polled.
func (c *Conn) SharesMemory() bool { return false }

// AnnouncesPolls implements conns.Announced.
func (c *Conn) AnnouncesPolls() {}

// Guarded implements core.Polled.
func (c *Conn) Guarded() bool {
	return (c.w.Armed() || c.parks.Load()) && !c.due() && !c.resumable.Load()
}

// Unpolled tells the connection that its consumer no longer polls.
func (c *Conn) Unpolled() {
	c.Polled.Store(false)
	if c.parker.Load() != nil && c.uncoalesce() {
		c.RunSend() // at once: the consumer is about to sleep, and the engine would wake for nothing else
	}
	c.Rearm()
}

// Steady takes the socket out of the poller while a consumer polls it steadily.
func (c *Conn) Steady() { c.w.Leave() }

// Rearm hands the connection from the consumer that polled it to the poller.
func (c *Conn) Rearm() {
	c.unmarkParked()
	c.releaseBuffer()
	c.Arm()
	if c.due() || c.resumable.Load() {
		c.Schedule()
	}
}

// Retransmits returns how many segments were sent again; false if the stream cannot tell.
func (c *Conn) Retransmits() (uint64, bool) {
	if w, ok := c.w.(interface{ Resent() (uint64, bool) }); ok {
		return w.Resent()
	}
	return 0, false
}

// TryReceiving and LeaveReceiving implement core.Transport.
func (c *Conn) TryReceiving() bool { return c.rx.TryEnter() }
func (c *Conn) LeaveReceiving()    { recvhalf.LeaveTo(&c.rx, c) }

func (c *Conn) Gates() (receiving, peer *atomic.Uint64) { return &c.rx.Word, nil }
func (c *Conn) Waits() bool                             { return c.coalesceRound() && !c.ending.Load() }
func (c *Conn) MakeRoom()                               { c.SendCoalesced() }
