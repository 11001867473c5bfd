package stream

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/shm"
)

// A Conn is a connection over a stream: iWARP. Its receiving half is guarded
// by rx, its sending half by its queue pair's tx. The halves talk through the
// two queues in the middle and never wait for each other.
type Conn struct {
	progress.PollState
	q *core.QP
	a *core.Adapter
	p *Path
	w wire

	crc       bool
	markers   bool // the peer wants them
	initiator bool
	mulpdu    atomic.Int32
	aligned   atomic.Bool // each FPDU is a record of its own to TCP; see fpdu_align.go
	ird, ord  int         // reads and atomics that the peer, and that we, may have under way
	peerORD   int         // reads that the peer means to have under way
	peer      atomic.Uint32
	talk      atomic.Bool // a responder is silent until the initiator's first FPDU

	rx   gate.Recv
	in   receiver
	shut atomic.Bool // the receiving half places nothing any more: see pumpRxOver

	out   sender             // guarded by q.tx
	stall progress.WaitTimer // a request waits to learn who the peer is; guarded by q.tx

	mid       middle
	fault     readFault
	terminate []byte // a Terminate to send; guarded by mid.mu
	remote    string

	started       atomic.Bool  // established has been reported
	taken         atomic.Int64 // bytes read so far
	mark          atomic.Bool  // queued at the engine
	stalled       atomic.Bool  // a message waits for a receive
	came          atomic.Bool  // the next poll has something to go on with: see moreCame
	fin           atomic.Bool  // the peer has ended its side, as a stalled connection knows
	blocked       atomic.Bool  // the sender waits for the stream to take bytes
	calm          atomic.Bool  // nothing was on its way out when somebody last looked
	reset         atomic.Bool  // the sender was told so; the reader is not told again
	coalesced     atomic.Int32
	immediateLeft atomic.Int32 // requests to be written at once
	look          uint64       // of the consumer, behind which something was; guarded by q.tx
	ending        atomic.Bool
	lingered      chan struct{}
}

// What is known of the peer.
const (
	peerUnknown = iota // it has not sent anything yet
	peerGodapl         // this adapter: extensions and large segments are fine
	peerOther
)

// middle is what the halves tell each other.
type middle struct {
	mu     sync.Mutex
	resps  []response  // owed to the peer, oldest first; at most ird
	reads  []pending   // asked of the peer, oldest first; at most ord
	nudger *time.Timer // see siw_nudge.go; nil if there is none
	// silence is how long a responder waits for the initiator to begin; 0: until it does.
	silence time.Duration
	greets  bool // this side has begun, or begins, with a greeting

	readsDone atomic.Uint32 // reads complete since the connection began
	owed      atomic.Int32  // len(resps)
	hello     atomic.Bool   // the sender owes a greeting
	greetRead bool          // it is a Read Request; set before data moves
}

// A response is what a Read Request or an Atomic Request asked for.
type response struct {
	atomic  bool
	id      uint32    // atomic
	value   uint64    // atomic: before the operation
	request iwarp.MSN // read: of the request
	sink    iwarp.STag
	sinkTO  iwarp.TO
	source  hca.Key
	from    uint64
	size    uint64
	off     uint64
}

// pending is a read or atomic under way: where the answer goes.
type pending struct {
	op    hca.Op
	local hca.Segment
	more  []hca.Segment
	total uint64
	off   uint64
	stag  iwarp.STag
	msn   iwarp.MSN // of the request
}

// The greeting tells our own adapter from others, within the standard: a Write
// of length zero is placed nowhere and looked up nowhere, so its target is free
// to say something.
const (
	greetSTag iwarp.STag = 1
	greetTO   iwarp.TO   = 0x676f6461706c0001 // "godapl", version 1
)

// lingerTime bounds how long a connection that has ended waits for its last
// bytes to be taken.
const lingerTime = 2 * time.Second

func (p *Path) newConn(q *core.QP, initiator bool) *Conn {
	c := &Conn{q: q, a: q.Adapter, p: p, initiator: initiator, lingered: make(chan struct{})}
	c.talk.Store(initiator)
	c.out.init()
	c.in.init()
	c.calm.Store(true)
	return c
}

// attach takes the stream over after the start-up, with what was read of it
// beyond.
func (c *Conn) attach(conn net.Conn, early []byte) error {
	c.in.push(early)
	conn, flow := uncaptured(conn)
	c.align(conn)
	w, err := c.newWire(conn)
	if err != nil {
		_ = conn.Close()
		if flow != nil {
			flow.Close()
		}
		return hca.Wrap(hca.Resources, "connect", "", "", err)
	}
	c.w = captured(w, flow)
	return nil
}

// start lets data move.
func (c *Conn) start() {
	c.q.SendCQ.AddConn(c)
	if c.q.RecvCQ != c.q.SendCQ {
		c.q.RecvCQ.AddConn(c)
	}
	c.started.Store(true)
	c.Schedule() // for what came with the start-up
	c.Arm()
}

// Arm asks for the events that the connection can make use of. One whose
// message waits for a receive must not be told that there is more to read, but
// that there is an end to it.
func (c *Conn) Arm() {
	stalled := c.stalled.Load()
	c.w.arm(!stalled, c.blocked.Load())
	if stalled {
		c.w.armEnd(!c.fin.Load())
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
	case core.HasResponse(op) && c.ord == 0:
		return core.ErrNoReads(op)
	case op != hca.OpSendInvalidate && op != hca.OpRead && c.peer.Load() == peerOther:
		return hca.NewError(hca.Unsupported, "post "+op.String(), "", "the peer is not known to have the extensions of RFC 7306")
	}
	return nil
}

// Schedule has the engine run the connection.
func (c *Conn) Schedule() { c.a.Engine.Schedule(c) }

func (c *Conn) Queued() bool { return c.mark.CompareAndSwap(false, true) }

func (c *Conn) Claim() { c.mark.Store(false) }

// Run reads and writes what can be. It reports whether there is more to do at
// once.
func (c *Conn) Run() bool {
	if !c.started.Load() {
		return false // a stream can have something before anybody may take it
	}
	more, inside := c.readWrite()
	switch {
	case !inside:
		// Whoever is inside reads on, but perhaps not at once: its goroutine may
		// be waiting for a processor. Arming now would only tell us the same
		// again and again.
		c.a.Background.Watch(c)
	case !more:
		c.rest()
	}
	return more
}

func (c *Conn) readWrite() (more, inside bool) {
	more, inside = c.runRx()
	if c.uncoalesce() || c.blocked.Load() || c.mid.owed.Load() > 0 || c.q.Inboxed.Load() > 0 {
		c.RunSend()
	}
	return more, inside
}

// rest sees to it that somebody notices what comes next.
func (c *Conn) rest() {
	if c.Polled.Load() {
		c.a.Background.Watch(c) // whoever polls will find it
	} else if c.q.State.Load() != core.StateOver {
		c.Arm()
	}
}

// event is the poller's word that the stream is ready, and a turn of the connection on the
// poller's goroutine. It reports whether to come again behind the others.
//
// Bytes of a bulk transfer come again before a sleep and a wake-up would be over. So
// behind a large piece it looks for more a while before it goes. A turn is as long as that
// at most: bytes that keep coming are for the next one.
func (c *Conn) event(first bool) (again bool) {
	if !c.started.Load() || first && c.mark.Load() {
		return false // start arms; or the engine has it in its queue, and reads then
	}
	bulk, start := false, c.taken.Load()
	for tries := 0; tries < bulkTries && c.taken.Load()-start < rxTurn; tries++ {
		before := c.taken.Load()
		more, inside := c.readWrite()
		got := c.taken.Load() - before
		switch {
		case more:
			c.Schedule()
			return false
		case !inside:
			c.a.Background.Watch(c) // see run
			return false
		case c.Polled.Load(), c.stalled.Load(), first && tries == 0 && got < bulkPiece:
			c.rest() // which tells if something came meanwhile
			return false
		case got >= bulkPiece:
			bulk = true
		}
	}
	if !bulk {
		c.rest()
	}
	return bulk
}

const (
	bulkPiece = 16 << 10
	bulkTries = 100 // about as long as a wake-up takes
)

// breathe lets the other side of a bulk transfer go on for about a microsecond. Each
// look at a socket locks it, even one that finds nothing, and whoever brings or takes
// bytes there at the time has to wait.
func breathe() {
	for range 64 {
		shm.Pause()
	}
}

// bulkBreaths is how many looks that find nothing are spaced out behind a large piece.
const bulkBreaths = 16

// Poll is progress on a consumer's goroutine.
func (c *Conn) Poll(queue *core.CQ, _ *hca.WC) (one bool) {
	if !c.Polled.Load() {
		c.Polled.Store(true)
	}
	if c.uncoalesce() || c.blocked.Load() {
		c.RunSend()
	} else if !c.calm.Load() {
		c.calm.Store(true)
	}
	if c.rx.TryEnter() && c.readOn() {
		c.moreCame(queue)
	}
	return false
}

// Unpolled is the word that nobody polls from here on.
func (c *Conn) Unpolled() {
	c.Polled.Store(false)
	c.Rearm()
}

// Steady leaves it to whoever polls it.
func (c *Conn) Steady() { c.w.leave() }

// Rearm leaves the connection to the poller, and nothing to whoever polled it.
func (c *Conn) Rearm() {
	c.giveBack()
	c.Arm()
	if c.coalesced.Load() != coalesceNone || c.came.Load() {
		c.Schedule()
	}
}

func (c *Conn) Concerns(to *progress.Consumer) bool { return c.q.PolledBy(to) }

func (c *Conn) Gates() (receiving, peer *atomic.Uint64) { return &c.rx.Word, nil }

func (c *Conn) AppendStays(list []gate.Stay, _ *core.KeyEntry) []gate.Stay { return list }

func (c *Conn) AwaitApart() {}

func (c *Conn) MakeRoom() bool { return false }

func (c *Conn) Waits() bool { return c.coalesceRound() && !c.ending.Load() }
