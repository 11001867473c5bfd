package sharedmem

import (
	"os"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/shm"
)

// A Conn is a connection with another process of this host and user, over
// memory that both have mapped. See soft/doc.go for what is trusted: nothing.
//
// Its sending half, out, is guarded by the queue pair's tx gate: requests go out
// through one ring, answers and acknowledgements come back. Its receiving half,
// in, is guarded by rx: it carries out the peer's requests. All of the shared
// memory is touched inside one of the two gates, so that dismantle, which has
// both, can take it away.
type Conn struct {
	progress.PollState
	q *core.QP
	a *core.Adapter
	p *Path
	m connMemory

	rx  gate.Recv
	in  receiver
	out sender // guarded by q.tx

	peer   peerInfo
	number uint64 // this side's for the connection
	remote string

	started   atomic.Bool   // established has been reported
	mark      atomic.Bool   // queued at the engine
	open      atomic.Uint64 // whether requests wait for the peer; written inside tx
	ahead     atomic.Uint64 // from the peer's addresses to where its memory is mapped here: a guess
	hung      atomic.Bool   // the peer's end of the socket is closed
	bad       atomic.Bool   // the peer has damaged the shared memory
	ending    atomic.Bool
	mute      atomic.Bool   // no reads and atomics were agreed
	expelling atomic.Bool   // dismantle waits for the peer
	apart     chan struct{} // closed when dismantle is done
	gone      bool          // the shared memory is: guarded by both gates, read in either

	maps     mappings
	visitMu  sync.Mutex // dismantle against who looks whether the peer is inside
	sockMu   sync.Mutex // who reads the socket against dismantle
	sockGone bool
	sock     int      // tells of the peer's death, and carries descriptors
	own      int      // descriptor that the peer wakes this side with
	bell     *os.File // a copy of it in Go's poller, or nil
}

// What open says.
const (
	openNone = iota
	openSent // all is with the peer, and done when the peer has handled it
	openMore // some are to be answered, or have yet to go out
)

// peerInfo is what the start-up has told of the other side.
type peerInfo struct {
	pid       int
	bell      int    // descriptor that wakes it
	zone      uint64 // of its queue pair
	conn      uint64 // its number for this connection
	vm        bool   // this side can reach its memory through the kernel
	sees      bool   // and it this side's
	directory *shm.Segment
}

func (c *Conn) Evict([]byte) {} // nothing outlasts a gate

func (c *Conn) Gates() (receiving, peer *atomic.Uint64) { return &c.rx.Word, nil }

func (c *Conn) Concerns(to *progress.Consumer) bool { return c.q.PolledBy(to) }

func (c *Conn) MakeRoom() bool {
	c.RunSend()
	return true
}

func (c *Conn) CheckCaps(op hca.Op) error {
	if core.HasResponse(op) && c.mute.Load() {
		return core.ErrNoReads(op)
	}
	return nil
}

// Schedule, queued, claim and run make it a runner of the engine.
func (c *Conn) Schedule() { c.a.Engine.Schedule(c) }

func (c *Conn) Queued() bool { return c.mark.CompareAndSwap(false, true) }

func (c *Conn) Claim() { c.mark.Store(false) }

func (c *Conn) Run() bool {
	more, inside := c.progress()
	return more && inside
}

// progress does what there is to do on both halves. It reports whether the
// receiving half stopped for having done enough.
func (c *Conn) progress() (more, inside bool) {
	if !c.started.Load() {
		return false, false
	}
	if c.rx.Enter() {
		more, inside = c.readOn(), true
	}
	return more, inside
}

// Unpolled is the word that nobody polls from here on.
func (c *Conn) Unpolled() {
	if c.Polled.Load() {
		c.Polled.Store(false)
	}
	c.Arm()
}

// Arm has the receiving half run, which sets the bell when it finds nothing more,
// and then the sending half, if it waits for anything. What the peer does after
// the bell has been set makes it ring; what it did before is found.
func (c *Conn) Arm() {
	if more, inside := c.progress(); more && inside {
		c.Schedule()
	}
}

// Waits and rearm are the watch's: nothing waits for a consumer here.
func (c *Conn) Waits() bool { return false }

func (c *Conn) Rearm() { c.Arm() }

func (c *Conn) Steady() {}

// start lets data move.
func (c *Conn) start() {
	c.q.SendCQ.AddConn(c)
	if c.q.RecvCQ != c.q.SendCQ {
		c.q.RecvCQ.AddConn(c)
	}
	c.started.Store(true)
	c.Schedule() // for what came with the start-up
}

func (c *Conn) stop() {
	c.q.SendCQ.RemoveConn(c)
	c.q.RecvCQ.RemoveConn(c)
	c.a.Background.Unwatch(c)
}
