package event

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/wait"
)

// facePark is the park of a channel's goroutine.
type facePark struct {
	wait.Parker
	on bool // it owns the park
}

// pauser is what a park may be besides: its owner can leave the connection to the adapter for a while.
type pauser interface {
	// Pause leaves the connection, or takes it back.
	Pause(yes bool)
}

// AcquirePark implements wait.Parker. Where the goroutine of a channel does not park, see hca.Crowded, it says that it sleeps
// elsewhere.
func (p *facePark) AcquirePark() bool {
	if x, ok := p.Parker.(hca.Crowded); ok && x.Crowded() {
		if j, ok := p.Parker.(wait.Joint); ok {
			j.Elsewhere()
		}
		return false
	}
	p.on = p.Parker.AcquirePark()
	return p.on
}

func (p *facePark) ReleasePark() {
	p.on = false
	p.Parker.ReleasePark()
}

// pause is pauser.Pause, if the goroutine owns its park.
func (p *facePark) pause(yes bool) {
	if p == nil || !p.on {
		return
	}
	if x, ok := p.Parker.(pauser); ok {
		x.Pause(yes)
	}
}

// facePark returns the park for the goroutine of a channel; nil if the waiter has none.
func (d *Dispatcher[T]) facePark() *facePark {
	if d.waiter.parker == nil {
		return nil
	}
	return &facePark{Parker: d.waiter.parker}
}

// serve makes a wait use the park, if there is one. stay: it stays there between two arrivals.
func (p *facePark) serve(o *wait.Options, stay bool) {
	if p != nil {
		o.Parker, o.Stay = p, stay
	}
}
