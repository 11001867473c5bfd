package soft

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/shm"
)

// A tcpConn is a connection over a stream: iWARP. Its receiving half is guarded
// by rx, its sending half by its queue pair's tx. The halves talk through the
// two queues in the middle and never wait for each other.
type tcpConn struct {
	pollState
	q *qp
	a *adapter
	p *streamPath
	w wire

	crc       bool
	markers   bool // the peer wants them
	initiator bool
	mulpdu    atomic.Int32
	aligned   atomic.Bool // each FPDU is a record of its own to TCP; see align.go
	ird, ord  int         // reads and atomics that the peer, and that we, may have under way
	peerORD   int         // reads that the peer means to have under way
	peer      atomic.Uint32
	talk      atomic.Bool // a responder is silent until the initiator's first FPDU

	rx   rxGate
	in   receiver
	shut atomic.Bool // the receiving half places nothing any more: see pumpRxOver

	out   sender // guarded by q.tx
	stall stall  // a request waits to learn who the peer is; guarded by q.tx

	mid      middle
	fault    readFault
	lastWord []byte // a Terminate to send; guarded by mid.mu
	remote   string

	started  atomic.Bool  // established has been reported
	taken    atomic.Int64 // octets read so far
	mark     atomic.Bool  // queued at the engine
	stalled  atomic.Bool  // a message waits for a receive
	came     atomic.Bool  // the next poll has something to go on with: see moreCame
	fin      atomic.Bool  // the peer has ended its side, as a stalled connection knows
	blocked  atomic.Bool  // the sender waits for the stream to take octets
	calm     atomic.Bool  // nothing was on its way out when somebody last looked
	reset    atomic.Bool  // the sender was told so; the reader is not told again
	gathered atomic.Int32
	shy      atomic.Int32 // requests to be written at once
	look     uint64       // of the consumer, behind which something was; guarded by q.tx
	ending   atomic.Bool
	lingered chan struct{}
}

// What is known of the peer.
const (
	peerUnknown = iota // it has not sent anything yet
	peerOwn            // this adapter: extensions and large segments are fine
	peerForeign
)

// middle is what the halves tell each other.
type middle struct {
	mu     sync.Mutex
	resps  []response  // owed to the peer, oldest first; at most ird
	reads  []pending   // asked of the peer, oldest first; at most ord
	rouser *time.Timer // see rouse.go; nil if there is none
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
// octets to be taken.
const lingerTime = 2 * time.Second

func (p *streamPath) newConn(q *qp, initiator bool) *tcpConn {
	c := &tcpConn{q: q, a: q.a, p: p, initiator: initiator, lingered: make(chan struct{})}
	c.talk.Store(initiator)
	c.out.init()
	c.in.init()
	c.calm.Store(true)
	return c
}

// attach takes the stream over after the start-up, with what was read of it
// beyond.
func (c *tcpConn) attach(conn net.Conn, early []byte) error {
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
func (c *tcpConn) start() {
	c.q.scq.addConn(c)
	if c.q.rcq != c.q.scq {
		c.q.rcq.addConn(c)
	}
	c.started.Store(true)
	c.schedule() // for what came with the start-up
	c.arm()
}

// arm asks for the events that the connection can make use of. One whose
// message waits for a receive must not be told that there is more to read, but
// that there is an end to it.
func (c *tcpConn) arm() {
	stalled := c.stalled.Load()
	c.w.arm(!stalled, c.blocked.Load())
	if stalled {
		c.w.armEnd(!c.fin.Load())
	}
}

func (c *tcpConn) stop() {
	c.q.scq.removeConn(c)
	c.q.rcq.removeConn(c)
	c.a.bg.unwatch(c)
	c.endRouse()
}

func (c *tcpConn) checkCaps(op hca.Op) error {
	switch {
	case op == hca.OpSendImm:
		return hca.NewError(hca.Unsupported, "post "+op.String(), "", "iWARP has no sends with immediate data: use a write with immediate data")
	case answered(op) && c.ord == 0:
		return errMute(op)
	case op != hca.OpSendInvalidate && op != hca.OpRead && c.peer.Load() == peerForeign:
		return hca.NewError(hca.Unsupported, "post "+op.String(), "", "the peer is not known to have the extensions of RFC 7306")
	}
	return nil
}

// schedule has the engine run the connection.
func (c *tcpConn) schedule() { c.a.engine.schedule(c) }

func (c *tcpConn) queued() bool { return c.mark.CompareAndSwap(false, true) }
func (c *tcpConn) claim()       { c.mark.Store(false) }

// run reads and writes what can be. It reports whether there is more to do at
// once.
func (c *tcpConn) run() bool {
	if !c.started.Load() {
		return false // a stream can have something before anybody may take it
	}
	more, inside := c.readWrite()
	switch {
	case !inside:
		// Whoever is inside reads on, but perhaps not at once: its goroutine may
		// be waiting for a processor. Arming now would only tell us the same
		// again and again.
		c.a.bg.watch(c)
	case !more:
		c.rest()
	}
	return more
}

func (c *tcpConn) readWrite() (more, inside bool) {
	more, inside = c.runRx()
	if c.ungather() || c.blocked.Load() || c.mid.owed.Load() > 0 || c.q.inboxed.Load() > 0 {
		c.runSend()
	}
	return more, inside
}

// rest sees to it that somebody notices what comes next.
func (c *tcpConn) rest() {
	if c.polled.Load() {
		c.a.bg.watch(c) // whoever polls will find it
	} else if c.q.state.Load() != stOver {
		c.arm()
	}
}

// event is the poller's word that the stream is ready, and a turn of the connection on the
// poller's goroutine. It reports whether to come again behind the others.
//
// Bytes of a bulk transfer come again before a sleep and a wake-up would be over. So
// behind a large piece it looks for more a while before it goes. A turn is as long as that
// at most: bytes that keep coming are for the next one.
func (c *tcpConn) event(first bool) (again bool) {
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
			c.schedule()
			return false
		case !inside:
			c.a.bg.watch(c) // see run
			return false
		case c.polled.Load(), c.stalled.Load(), first && tries == 0 && got < bulkPiece:
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
// octets there at the time has to wait.
func breathe() {
	for range 64 {
		shm.Pause()
	}
}

// bulkBreaths is how many looks that find nothing are spaced out behind a large piece.
const bulkBreaths = 16

// poll is progress on a consumer's goroutine.
func (c *tcpConn) poll(queue *cq, _ *hca.WC) (one bool) {
	if !c.polled.Load() {
		c.polled.Store(true)
	}
	if c.ungather() || c.blocked.Load() {
		c.runSend()
	} else if !c.calm.Load() {
		c.calm.Store(true)
	}
	if c.rx.tryEnter() && c.readOn() {
		c.moreCame(queue)
	}
	return false
}

// unpolled is the word that nobody polls from here on.
func (c *tcpConn) unpolled() {
	c.polled.Store(false)
	c.rearm()
}

// steady leaves it to whoever polls it.
func (c *tcpConn) steady() { c.w.leave() }

// rearm leaves the connection to the poller, and nothing to whoever polled it.
func (c *tcpConn) rearm() {
	c.giveBack()
	c.arm()
	if c.gathered.Load() != gatherNone || c.came.Load() {
		c.schedule()
	}
}

func (c *tcpConn) concerns(to *consumer) bool { return c.q.polledBy(to) }

func (c *tcpConn) gates() (receiving, peer *atomic.Uint64)  { return &c.rx.word, nil }
func (c *tcpConn) appendStays(list []stay, _ *grant) []stay { return list }
func (c *tcpConn) awaitApart()                              {}
func (c *tcpConn) makeRoom() bool                           { return false }
func (c *tcpConn) waits() bool                              { return c.gatherRound() && !c.ending.Load() }
