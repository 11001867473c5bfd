package event

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/wait"
	"github.com/godapl/godapl/rdma/status"
)

// Dispatcher is a bounded queue that hands out events of type T, each once and
// in order (uDAPL: EVD; verbs: completion queue with its channel). See the
// package comment for its faces. Make one with New.
type Dispatcher[T any] struct {
	cfg Config

	// gate sums up what those who take events must know first. It is written
	// under mu, so who holds mu reads the truth.
	gate atomic.Uint32

	// turn is the drain lock: held while sources are called. Who must not wait
	// for it leaves a mark; see release. Locks are taken in the order turn, mu,
	// Set.mu.
	turn    wait.MarkLock
	srcs    []Source[T] // written under turn and mu, read under either
	first   int         // guarded by turn: which source goes first
	scratch []T         // guarded by turn: between source and ring
	one     []T         // guarded by turn: between source and Dequeue

	// mu guards everything below but where it says otherwise. Nothing foreign
	// is called and nobody parks while it is held.
	mu    sync.Mutex
	ring  ring[T]
	depth int
	soft  int // see resoft
	// after holds events that must come behind what the sources hold now, and
	// what was queued since; front those that stopped channels still hold, which
	// come before the ring. Both count as queued.
	after []T
	loud  bool // one that came to after is not quiet, and nobody was told yet
	front []<-chan T

	closed   bool
	disabled bool
	unwait   bool // waiting is not allowed
	overflow bool // reported, and no room since
	lost     uint64

	// waiting: somebody has the role of the one waiter and is woken when want
	// events are queued. watched: an arrival concerns more than the ring.
	waiting bool
	watched bool
	want    int
	cell    wait.Cell                     // the waiter sleeps here
	burst   atomic.Int32                  // looks before it does
	waiter  waiter[T]                     // guarded by the waiter's role
	face    atomic.Pointer[face[T]]       // the channel that runs; written under mu
	node    node                          // this dispatcher's place in a set
	flag    *atomic.Uint32                // see Flag
	alone   atomic.Pointer[atomic.Uint32] // the flag, if there is no set beside it; written under mu
	hot     hotErrors                     // constant
	broken  atomic.Pointer[error]         // why the sources could not be armed the last time; nil if they could
}

// The bits of gate.
const (
	gateSources = 1 << iota // it has sources
	gateQueued              // it has sources, and events are queued here
	gateWaiter              // somebody waits
	gateUnwait              // waiting is not allowed
	gateClosed
	gateSet // it is in a set, or has a flag
)

// A role is the set of gate bits that do not concern the caller. Whoever finds
// no other bit may take from the ring; with gateSources alone, straight from
// the sources.
const (
	asPoller  = gateSet | gateUnwait // Poll, Dequeue
	asEntrant = gateSet              // a wait that has not begun
	asWaiter  = gateSet | gateWaiter // the one waiter itself
)

// New makes a dispatcher, enabled and waitable (uDAPL: dat_evd_create).
func New[T any](cfg Config) *Dispatcher[T] {
	cfg = cfg.filled()
	d := &Dispatcher[T]{cfg: cfg, depth: cfg.Depth}
	d.setBurst(cfg.Burst)
	d.waiter.d = d
	d.node.member = d
	d.hot.init(cfg.Name)
	return d
}

// Name is the name it was configured with.
func (d *Dispatcher[T]) Name() string { return d.cfg.Name }

// regate brings gate, alone and watched up to date. Caller holds mu.
func (d *Dispatcher[T]) regate() {
	var g uint32
	if len(d.srcs) > 0 {
		g = gateSources
		if d.queued() > 0 {
			g |= gateQueued
		}
	}
	if d.waiting {
		g |= gateWaiter
	}
	if d.unwait {
		g |= gateUnwait
	}
	if d.closed {
		g |= gateClosed
	}
	if d.listened() {
		g |= gateSet
	}
	var alone *atomic.Uint32
	if d.node.set == nil {
		alone = d.flag
	}
	if d.alone.Load() != alone {
		d.alone.Store(alone)
	}
	d.watched = g != 0
	if d.gate.Load() != g {
		d.gate.Store(g)
	}
}

// badThreshold is apart so that waits stay small.
func (d *Dispatcher[T]) badThreshold(want int) *Error {
	return d.fail(ErrInvalid, "wait", fmt.Sprintf("the threshold %d is not in 1 to %d, which is what the queue holds", want, d.depth))
}

// fail makes an error about this dispatcher.
func (d *Dispatcher[T]) fail(code status.Code, op, detail string) *Error {
	return &Error{Op: op, Object: d.cfg.Name, Code: code, Detail: detail}
}
