package soft

import (
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
	m shmMem

	rx  gate
	in  shmReceiver
	out shmSender // guarded by q.tx

	peer   shmPeer
	number uint64 // this side's for the connection
	remote string

	started atomic.Bool // established has been reported
	mark    atomic.Bool // queued at the engine
	open    atomic.Bool // requests wait for the peer
	hung    atomic.Bool // the peer's end of the socket is closed
	bad     atomic.Bool // the peer has damaged the shared memory
	ending  atomic.Bool
	apart   chan struct{} // closed when dismantle is done
	gone    bool          // the shared memory is: guarded by both gates, read in either

	maps     shmMaps
	visitMu  sync.Mutex // dismantle against who looks whether the peer is inside
	sockMu   sync.Mutex // who reads the socket against dismantle
	sockGone bool
	sock     int // tells of the peer's death, and carries descriptors
	own      int // descriptor that the peer wakes this side with
}

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

func (c *shmConn) receiving() *gate { return &c.rx }
func (c *shmConn) evict([]byte)     {} // nothing outlasts a gate

func (c *shmConn) checkCaps(op hca.Op) error {
	if answered(op) && c.q.mute.Load() {
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
	if c.open.Load() {
		c.q.runTx()
	}
	return more, inside
}

// poll is progress on a consumer's goroutine.
func (c *shmConn) poll() {
	if !c.polled.Load() {
		c.polled.Store(true)
	}
	if c.rx.tryEnter() && (!c.nothingIn() || c.rx.leave()) && c.readOn() {
		c.schedule()
	}
	if q := c.q; c.open.Load() && q.tx.tryEnter() && (!c.nothingBack() || q.tx.leave()) {
		var af after
		q.pump(&af)
		q.leave(&af)
	}
}

// nothingIn and nothingBack tell at a glance that there is nothing to do for the
// receiving and for the sending half, which is what most polls find. The caller is
// inside that half's gate.
func (c *shmConn) nothingIn() bool {
	return !c.gone && !c.in.requests.held && !c.in.requests.c.Ready() && c.m.verdict[1].Load() == 0 &&
		!c.hung.Load() && c.q.state.Load() == stReady && c.watched.Load()
}

func (c *shmConn) nothingBack() bool {
	o, q := &c.out, c.q
	if c.gone || o.answers.held || o.answers.c.Ready() || q.sq.next != q.sq.tail || q.inboxed.Load() != 0 || q.state.Load() != stReady {
		return false
	}
	n, err := o.requests.p.Released()
	return err == nil && n == o.requests.acked
}

// unpolled is the word that nobody polls from here on.
func (c *shmConn) unpolled() {
	c.polled.Store(false)
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
	c.a.net.unwatch(c)
}
