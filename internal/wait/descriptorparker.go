package wait

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// A Descriptor is what a [DescriptorParker] sleeps on.
type Descriptor interface {
	// Await calls look at once, and again after each arrival, also after one during a call of
	// look. It returns nil when look returns true. After Interrupt it returns ErrInterrupted, at
	// once if Interrupt came first, until Clear is called. Any other error is permanent. One
	// goroutine at a time may call it.
	Await(look func() bool) error
	// Interrupt makes Await return. Any goroutine may call it.
	Interrupt()
	// Clear ends the effect of Interrupt.
	Clear()
}

// ErrInterrupted is what Await returns after Interrupt.
var ErrInterrupted = errors.New("wait: interrupted")

// A DescriptorParker is a [Parker] over a descriptor. It admits one owner at a time, and a kick
// that comes before Park makes Park return. A kick interrupts the descriptor only while the owner
// sleeps there, so events that the owner finds itself inside Park cost no interruption.
//
// An interruption can be late: the owner may have seen the kick already, or there may be a new
// owner. Park then clears the interruption and sleeps again.
type DescriptorParker struct {
	state atomic.Uint32
	on    Descriptor
	work  func()
	look  func() bool
	kick  func()
	again func() bool // of Park; the owner's
}

// States of a parker.
const (
	parkerFree   = iota
	parkerAwake  // there is an owner, and it does not sleep
	parkerAsleep // the owner sleeps at the descriptor, or is about to
	parkerKicked // Park is to return
)

// Init prepares a parker. work handles what has arrived; Park calls it before it sleeps and after
// each arrival.
func (p *DescriptorParker) Init(on Descriptor, work func()) {
	p.on, p.work, p.look, p.kick = on, work, p.round, p.wake
}

// AcquirePark makes the caller the owner, if there is none.
func (p *DescriptorParker) AcquirePark() bool { return p.state.CompareAndSwap(parkerFree, parkerAwake) }

// Kicked reports whether Park is to return. Long work inside Park checks it between two pieces.
func (p *DescriptorParker) Kicked() bool { return p.state.Load() == parkerKicked }

// ReleasePark makes the parker free. Kicks that come later do nothing.
func (p *DescriptorParker) ReleasePark() { p.state.Store(parkerFree) }

// Kicker implements [Parker].
func (p *DescriptorParker) Kicker() *func() { return &p.kick }

// Park implements [Parker].
func (p *DescriptorParker) Park(again func() bool) bool {
	p.again = again
	for {
		at(p, "await")
		err := p.on.Await(p.look)
		if err == nil {
			break // kicked
		}
		// Change the state before Clear: later kicks do not touch the descriptor, and an
		// earlier kick is seen here.
		at(p, "interrupted")
		old := p.state.Swap(parkerAwake)
		if err != ErrInterrupted {
			return false
		}
		at(p, "clear")
		p.on.Clear()
		if old == parkerKicked && (again == nil || again()) {
			return true
		}
	}
	// This may discard a kick. The event of that waker is found by the caller's next look.
	p.state.Store(parkerAwake)
	return true
}

// round is the look that Await calls: it does the work, and returns true if Park is to return.
func (p *DescriptorParker) round() bool {
	p.state.CompareAndSwap(parkerAsleep, parkerAwake)
	for {
		at(p, "work")
		p.work()
		at(p, "sleep?")
		if p.state.CompareAndSwap(parkerAwake, parkerAsleep) {
			return false
		}
		if p.again == nil {
			return true
		}
		p.state.Store(parkerAwake) // the look finds the event of that kick
		at(p, "look")
		if p.again() {
			return true
		}
	}
}

// wake is the kick.
func (p *DescriptorParker) wake() {
	for {
		switch s := p.state.Load(); s {
		case parkerAwake:
			if p.state.CompareAndSwap(s, parkerKicked) {
				return
			}
		case parkerAsleep:
			if p.state.CompareAndSwap(s, parkerKicked) {
				at(p, "interrupt")
				p.on.Interrupt()
				return
			}
		default:
			return
		}
	}
}

// String returns the state, for tests that compare states.
func (p *DescriptorParker) String() string { return fmt.Sprint(p.state.Load()) }
