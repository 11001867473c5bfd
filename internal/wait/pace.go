package wait

import "runtime"

// pace decides, in a process that has one processor, which waits begin with a burst of
// looks. A burst pays if the other side runs on another processor and answers within
// it; if both share this processor, the burst only delays the other side. The results
// of bursts tell which is the case: after a series of bursts that found too little,
// waits skip them for a while.
//
// A process with several processors always makes bursts. They show the system that both
// sides are busy, so that it gives each a processor. With rare bursts, two processes
// stay on one processor while others are idle.
type pace struct {
	tried, found uint32 // bursts of this row
	rest         uint32 // waits to come without a burst
	pause        uint32 // how many those were last time; 0 after a good row
}

const (
	row       = 64
	goodRow   = row / 2 // now and then a burst finds something by chance
	firstRest = 64
	maxRest   = 8192
)

var oneCPU = runtime.NumCPU() == 1

// burst is how often to look before arming, if n is allowed.
func (p *pace) burst(n int) int {
	if oneCPU && p.rest > 0 {
		p.rest--
		return 0
	}
	return n
}

// done notes the result of a burst.
func (p *pace) done(found bool) {
	if !oneCPU {
		return
	}
	if found {
		p.found++
	}
	if p.tried++; p.tried < row {
		return
	}
	if p.found >= goodRow {
		p.pause = 0
	} else {
		p.pause = min(max(2*p.pause, firstRest), maxRest)
		p.rest = p.pause
	}
	p.tried, p.found = 0, 0
}
