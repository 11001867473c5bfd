package soft

import (
	"os"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

// A shmConn is a connection with another process of this host and user, over
// memory that both have mapped. See doc.go for what is trusted: nothing.
//
// Its sending half, out, is guarded by the queue pair's tx gate: requests go out
// through one ring, answers and acknowledgements come back. Its receiving half,
// in, is guarded by rx: it carries out the peer's requests. All of the shared
// memory is touched inside one of the two gates, so that dismantle, which has
// both, can take it away.
type shmConn struct {
	pollState
	q *qp
	a *adapter
	p *shmPath
	m shmMem

	rx  rxGate
	in  shmReceiver
	out shmSender // guarded by q.tx

	peer   shmPeer
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

	maps     shmMaps
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

// shmPeer is what the start-up has told of the other side.
type shmPeer struct {
	pid   int
	bell  int    // descriptor that wakes it
	zone  uint64 // of its queue pair
	conn  uint64 // its number for this connection
	vm    bool   // this side can reach its memory through the kernel
	sees  bool   // and it this side's
	board *shm.Segment
}

func (c *shmConn) evict([]byte) {} // nothing outlasts a gate

func (c *shmConn) gates() (receiving, peer *atomic.Uint64) { return &c.rx.word, nil }
func (c *shmConn) concerns(to *consumer) bool              { return c.q.polledBy(to) }

func (c *shmConn) makeRoom() bool {
	c.runSend()
	return true
}

func (c *shmConn) checkCaps(op hca.Op) error {
	if answered(op) && c.mute.Load() {
		return errMute(op)
	}
	return nil
}

// schedule, queued, claim and run make it a runner of the engine.
func (c *shmConn) schedule()    { c.a.engine.schedule(c) }
func (c *shmConn) queued() bool { return c.mark.CompareAndSwap(false, true) }
func (c *shmConn) claim()       { c.mark.Store(false) }
func (c *shmConn) run() bool {
	more, inside := c.progress()
	return more && inside
}

// progress does what there is to do on both halves. It reports whether the
// receiving half stopped for having done enough.
func (c *shmConn) progress() (more, inside bool) {
	if !c.started.Load() {
		return false, false
	}
	if c.rx.enter() {
		more, inside = c.readOn(), true
	}
	return more, inside
}

// unpolled is the word that nobody polls from here on.
func (c *shmConn) unpolled() {
	if c.polled.Load() {
		c.polled.Store(false)
	}
	c.arm()
}

// arm has the receiving half run, which sets the bell when it finds nothing more,
// and then the sending half, if it waits for anything. What the peer does after
// the bell has been set makes it ring; what it did before is found.
func (c *shmConn) arm() {
	if more, inside := c.progress(); more && inside {
		c.schedule()
	}
}

// waits and rearm are the watch's: nothing waits for a consumer here.
func (c *shmConn) waits() bool { return false }
func (c *shmConn) rearm()      { c.arm() }
func (c *shmConn) steady()     {}

// start lets data move.
func (c *shmConn) start() {
	c.q.scq.addConn(c)
	if c.q.rcq != c.q.scq {
		c.q.rcq.addConn(c)
	}
	c.started.Store(true)
	c.schedule() // for what came with the start-up
}

func (c *shmConn) stop() {
	c.q.scq.removeConn(c)
	c.q.rcq.removeConn(c)
	c.a.bg.unwatch(c)
}
