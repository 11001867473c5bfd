package wait

import (
	"fmt"
	"sync/atomic"
)

// A Pace decides which waits begin with a burst of looks. A burst saves a sleep if the other side
// runs on another processor and answers during the burst. If the other side needs this processor,
// or answers much later, the burst only delays other goroutines. The Pace learns this from the
// results: after a few bursts in a row that find nothing, most waits have no burst, and one burst
// now and then tests whether bursts find something again. Steady waits use no Pace if there are
// several processors.
//
// Without a Pace in [Options], the cell uses its own. Several cells may share one; an update that
// another goroutine overwrites does no harm.
type Pace struct{ word atomic.Uint64 }

// The word: bits 0-7 the debt, bits 8-31 the length of the last rest in waits, bits 32-63 the
// waits to come without a burst.
const (
	paceRest = 32
	paceLast = 8
)

// A burst that finds nothing adds missCost to the debt, one that finds something takes 1 off.
// So bursts continue while two of three find something: a burst that finds nothing costs about
// as much processor time as a successful burst saves.
const (
	missCost  = 2
	debtLimit = 8
	// A burst in debt is longer. While the other side sleeps in its waits, a short burst ends before
	// the other side has woken and answered; a longer burst finds the answer. Then the next burst of
	// the other side finds something as well, and both sides use bursts again.
	inDebt    = 4
	firstRest = 16
	maxRest   = 1024
)

// burst returns how often to look before arming, at most n while the debt is 0.
func (p *Pace) burst(n int) int {
	w := p.word.Load()
	switch {
	case n <= 0 || w == 0:
		return n
	case w>>paceRest == 0:
		return inDebt * n
	}
	p.word.Store(w - 1<<paceRest)
	return 0
}

// done notes the result of a burst.
func (p *Pace) done(found bool) {
	w := p.word.Load()
	debt, last := w&0xff, w>>paceLast&0xffffff
	if found {
		if debt == 0 {
			return
		}
		if debt--; debt == 0 {
			last = 0
		}
		p.word.Store(last<<paceLast | debt)
		return
	}
	rest := uint64(0)
	if debt += missCost; debt >= debtLimit {
		debt = debtLimit - missCost // the burst after the rest decides
		last = min(max(2*last, firstRest), maxRest)
		rest = last
	}
	p.word.Store(rest<<paceRest | last<<paceLast | debt)
}

// Try and Done are burst and done for something else that pays only at times.
func (p *Pace) Try() bool { return p.burst(1) > 0 }

// Done takes note of whether what was tried has paid.
func (p *Pace) Done(paid bool) { p.done(paid) }

// String returns the state, for tests that compare states.
func (p *Pace) String() string {
	w := p.word.Load()
	return fmt.Sprint(w&0xff, w>>paceLast&0xffffff, w>>paceRest)
}
