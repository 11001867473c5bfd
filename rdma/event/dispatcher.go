package event

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/wait"
	"github.com/godapl/godapl/rdma/status"
)

// Dispatcher is a bounded queue that hands out events of type T, each once and in order
// (uDAPL: EVD; verbs: completion queue with its channel). The package comment lists the ways
// to take events. New creates a dispatcher.
type Dispatcher[T any] struct {
	cfg Config

	// gate summarizes the state that a consumer must check first, so that the check is one
	// load. It is written under mu, so it is exact for a holder of mu.
	gate atomic.Uint32

	// drainLock is the drain lock: it is held while sources are called. A caller that must not wait
	// for it leaves a mark; see release. Locks are taken in the order drainLock, mu, Set.mu.
	drainLock wait.MarkLock
	srcs      []Source[T] // written under drainLock and mu, read under either
	sentry    sentry      // of the only source; nil if it has none; guarded by mu
	parker    wait.Parker // likewise
	first     int         // guarded by drainLock: the source that is polled first
	scratch   []T         // guarded by drainLock: between source and ring
	one       []T         // guarded by drainLock: between source and Dequeue
	outside   any         // the sleeper that has the descriptors of the sources; guarded by drainLock

	// mu guards all fields below unless their comment says otherwise. No foreign code runs and
	// no goroutine parks while it is held.
	mu        sync.Mutex
	ring      ring[T]
	depth     int
	pushLimit int // see updatePushLimit
	// after holds events that must follow everything the sources hold now, and events queued
	// since. front holds the events of stopped channels, which precede the ring. Both count as
	// queued.
	after   []T
	wakeDue bool // after has an event that is not quiet and whose wake-up is due
	front   []<-chan T

	closed   bool
	disabled bool
	unwait   bool // waiting is not allowed
	ousted   bool // the present wait must end, even if waiting is allowed again
	overflow bool // reported, and no room since
	lost     uint64
	waits    uint64 // see Stats
	wakes    uint64

	// waiting: a goroutine holds the role of the single waiter and is woken when want events
	// are queued. watched: an arrival has consumers to notify.
	waiting bool
	watched bool
	want    int
	cell    wait.Cell                     // the waiter sleeps here
	burst   atomic.Int32                  // polls before it sleeps
	eager   atomic.Int32                  // see Provider.SetEager
	running atomic.Bool                   // face is not nil; written under mu: see Provider.Running
	short   atomic.Bool                   // see Provider.Short; written under drainLock
	waiter  waiter[T]                     // guarded by the waiter's role
	face    atomic.Pointer[face[T]]       // the channel that runs; written under mu
	ending  *face[T]                      // the channel that ran last, until its goroutine has ended
	pushers atomic.Pointer[[]pusher]      // of the sources; written under mu
	atWork  atomic.Uint64                 // 1: the program has taken several events at once, and not looked again
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

// A role is the set of gate bits that the caller may ignore. If no other bit is set, the
// caller may take from the ring; if only gateSources is set, directly from the sources.
const (
	asPoller  = gateSet | gateUnwait // Poll, Dequeue
	asEntrant = gateSet              // a wait that has not begun
	asWaiter  = gateSet | gateWaiter // the one waiter itself
	asSleeper = gateSet | 1<<31      // a wait that arms the sources itself if it goes on
)

// New creates a dispatcher, enabled and waitable (uDAPL: dat_evd_create).
func New[T any](cfg Config) *Dispatcher[T] {
	cfg = cfg.filled()
	d := &Dispatcher[T]{cfg: cfg, depth: cfg.Depth}
	d.setBurst(cfg.Burst)
	d.waiter.d = d
	d.node.member = d
	d.hot.init(cfg.Name)
	return d
}

// Name is [Config].Name.
func (d *Dispatcher[T]) Name() string { return d.cfg.Name }

// updateGate recomputes gate, alone and watched. The caller holds mu.
func (d *Dispatcher[T]) updateGate() {
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
	if d.unwait || d.ousted {
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

// badThreshold is a separate function so that waits can be inlined.
func (d *Dispatcher[T]) badThreshold(want int) *Error {
	return d.fail(ErrInvalid, "wait", fmt.Sprintf("the threshold %d is not in 1 to %d, which is what the queue holds", want, d.depth))
}

// fail makes an error about this dispatcher.
func (d *Dispatcher[T]) fail(code status.Code, op, detail string) *Error {
	return &Error{Op: op, Object: d.cfg.Name, Code: code, Detail: detail}
}
