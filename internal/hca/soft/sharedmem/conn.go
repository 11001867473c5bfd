package sharedmem

import (
	"os"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/ops"
	"github.com/godapl/godapl/internal/hca/park"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/hca/soft/recvhalf"
	"github.com/godapl/godapl/internal/hca/soft/sendhalf"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/group"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/peerfiles"
	"github.com/godapl/godapl/internal/shm"
)

// A Conn is a connection with another process of this host and user, over memory that both have mapped. It
// trusts nothing that it reads there: see the package doc.
//
// The send half, out, is guarded by the queue pair's gate Tx: requests go out through one ring, responses and
// acknowledgements come back. The receive half, in, is guarded by rx: it carries out the peer's requests. The
// shared memory is accessed only inside one of the two gates, so that dismantle, which takes both, can unmap
// it.
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
	group  group.Membership // none in a simulation
	number uint64           // this side's number of the connection
	remote string

	started  atomic.Bool   // the established event has been reported
	mark     atomic.Bool   // queued at the engine
	open     atomic.Uint64 // whether requests wait for the peer: openNone, openSent, openMore; written inside tx
	hungUp   atomic.Bool   // the peer's end of the socket is closed
	bad      atomic.Bool   // the peer has damaged the shared memory
	ending   atomic.Bool
	resting  atomic.Bool   // nothing to do before the doorbell rings: see Unpolled; set inside rx
	noReads  atomic.Bool   // reads and atomics were not agreed
	revoking atomic.Bool   // dismantle waits for the peer to leave this side's memory
	tornDown chan struct{} // closed when dismantle is done
	gone     bool          // the shared memory is unmapped; written inside both gates, read in either

	maps       peerfiles.Mappings
	hazardMu   sync.Mutex // excludes dismantle while a goroutine checks the peer's hazard slots
	sockMu     sync.Mutex // excludes dismantle while a goroutine reads the socket
	sockGone   bool
	sock       int      // its end tells of the peer's death; it carries descriptors
	sockNumber int32    // number of sock in the adapter's poller
	own        int      // descriptor with which the peer wakes this side; -1 if it rings a group
	doorbell   *os.File // a copy of own in Go's poller, or nil; guarded by sockMu once the connection is established
	bell       int32    // number of own in the adapter's poller, if it is there

	parker        atomic.Pointer[core.CQ] // the queue whose consumer watches own: see Park
	bellUnwatched atomic.Bool             // own is in no poller of the adapter; written under sockMu
	at            park.Place              // of own; guarded by sockMu
	sendhalf.Half
}

// Values of open.
const (
	openNone = iota
	openSent // the peer has all requests; they complete when it has handled them
	openMore // some requests expect a response, or are not sent yet
)

// peerInfo is what the handshake reports about the peer.
type peerInfo struct {
	pid       int
	doorbell  int        // descriptor that wakes it; -1 if the connection is in a group there
	zone      uint64     // of its queue pair
	conn      uint64     // its number of this connection
	vm        bool       // this side can reach its memory through the kernel
	sees      bool       // it can reach this side's
	refuses   hca.Access // what this side may not do, whatever a key allows
	directory *shm.Segment
}

// TryReceiving and LeaveReceiving implement core.Transport.
func (c *Conn) TryReceiving() bool { return c.rx.TryEnter() }
func (c *Conn) LeaveReceiving()    { recvhalf.LeaveTo(&c.rx, c) }

func (c *Conn) Gates() (receiving, peer *atomic.Uint64) { return &c.rx.Word, nil }

func (c *Conn) MakeRoom() { c.RunSend() }

func (c *Conn) CheckCaps(op hca.Op) error {
	if ops.HasResponse(op) && c.noReads.Load() {
		return core.ErrNoReads(op)
	}
	return nil
}

// Schedule, Queued, Claim and Run implement progress.Runner.
func (c *Conn) Schedule()    { c.a.Engine.Schedule(c) }
func (c *Conn) Queued() bool { return c.mark.CompareAndSwap(false, true) }
func (c *Conn) Claim()       { c.mark.Store(false) }

func (c *Conn) Run() bool {
	more, inside := c.progress()
	return more && inside
}

// progress runs both halves. It reports whether the receive half stopped because its budget is used up.
func (c *Conn) progress() (more, inside bool) {
	if !c.started.Load() {
		return false, false
	}
	if c.rx.Enter() {
		more, inside = c.finishRecv(), true
	}
	return more, inside
}

// Guarded implements core.Polled. A poll costs less than arming the bell.
func (c *Conn) Guarded() bool { return false }

// SharesMemory implements core.Polled.
func (c *Conn) SharesMemory() bool { return true }

// Unpolled tells the connection that its consumer no longer polls. If the connection rests, that is all: its doorbell
// is armed, and nothing has happened since it was looked at. So arming a queue of many connections costs little for
// those that are idle.
func (c *Conn) Unpolled() {
	if c.Polled.Load() {
		c.Polled.Store(false) // first: the receive half clears resting before it reads Polled
	}
	if !c.resting.Load() {
		c.Arm()
	}
}

// rest notes that the doorbell is armed, except in a consumer's poll, which may leave acknowledgements to the next one.
// The caller is inside rx, and looks once more after that.
func (c *Conn) rest() {
	if !c.in.byConsumer {
		c.resting.Store(true)
	}
}

// unrest ends that.
func (c *Conn) unrest() {
	if c.resting.Load() {
		c.resting.Store(false)
	}
}

// Arm runs the receive half, which arms the doorbell when it finds nothing more, and then the send half, if that
// waits for anything. A later action of the peer rings the doorbell; an earlier one is found here.
func (c *Conn) Arm() {
	if more, inside := c.progress(); more && inside {
		c.Schedule()
	}
}

// Waits and Rearm are for the poll watch. Nothing waits for a consumer here.
func (c *Conn) Waits() bool { return false }
func (c *Conn) Rearm()      { c.Arm() }
func (c *Conn) Steady()     {}

// start lets data move.
func (c *Conn) start() {
	if !c.group.Grouped {
		c.q.SendCQ.AddConn(c)
		if c.q.RecvCQ != c.q.SendCQ {
			c.q.RecvCQ.AddConn(c)
		}
	}
	c.started.Store(true)
	c.Schedule() // for frames that arrived during the handshake
}

func (c *Conn) stop() {
	c.q.SendCQ.RemoveConn(c)
	c.q.RecvCQ.RemoveConn(c)
	c.a.Background.Unwatch(c)
}
