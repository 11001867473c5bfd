package hca

import (
	"runtime"
	"time"
)

// lookTime is how long a look waits for goroutines that hold what it reads, all of them together.
const lookTime = 100 * time.Millisecond

// Patience bounds a look at counters. Only waiting uses it up: a gate or a lock that is free is entered at any time.
// A look is of one goroutine.
type Patience struct {
	left  time.Duration
	parts time.Duration
	clock func() time.Time
}

// NewPatience is for a look at one object, or at many: then each gate gets an eighth at most of what is left, so that
// those that are held for long leave something for those that are held for a moment.
func NewPatience(many bool) *Patience {
	p := &Patience{lookTime, 1, time.Now}
	if many {
		p.parts = 8
	}
	return p
}

// Enter tries to enter a gate or to take a lock. False: somebody else was inside as long as the look could wait.
func (p *Patience) Enter(try func() bool) bool {
	if try() {
		return true
	}
	most := p.left / p.parts
	if most <= 0 {
		return false
	}
	for begin := p.clock(); ; {
		runtime.Gosched()
		inside, took := try(), p.clock().Sub(begin)
		if inside || took >= most {
			p.left -= took
			return inside
		}
	}
}
