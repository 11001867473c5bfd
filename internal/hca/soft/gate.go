package soft

import (
	"runtime"
	"sync/atomic"
)

// A gate lets one goroutine at a time into a section without making the
// others wait: whoever finds it shut leaves a mark and goes on. The holder sees
// the mark before it lets go and looks at everything once more, so no work is
// lost. Posters, pollers and the engine share a connection this way.
//
// The word holds: bit 0 held, bit 1 marked, above them a count of the times it
// was left. The count tells an observer that the holder it saw is gone.
type gate struct{ word atomic.Uint64 }

const (
	gateHeld   = 1
	gateMarked = 2
	gateTurn   = 4
)

// enter takes the gate, or marks it and reports false.
func (g *gate) enter() bool {
	for {
		w := g.word.Load()
		switch {
		case w&gateHeld == 0:
			if g.word.CompareAndSwap(w, w|gateHeld) {
				return true
			}
		case w&gateMarked != 0:
			return false
		case g.word.CompareAndSwap(w, w|gateMarked):
			return false
		}
	}
}

// tryEnter takes the gate if it is free and leaves no mark if it is not.
func (g *gate) tryEnter() bool {
	w := g.word.Load()
	return w&gateHeld == 0 && g.word.CompareAndSwap(w, w|gateHeld)
}

// leave lets go. It reports true, and does not let go, if there is a mark: the
// holder must look at its inputs again and leave again.
func (g *gate) leave() (again bool) {
	w := g.word.Load()
	if w&gateMarked == 0 && g.word.CompareAndSwap(w, w+gateTurn-gateHeld) {
		return false
	}
	g.word.And(^uint64(gateMarked))
	return true
}

// lock waits for the gate. Holders are brief: one piece of a copy, one system
// call that does not block.
func (g *gate) lock() {
	for !g.tryEnter() {
		runtime.Gosched()
	}
}

// A turn is one holder's stay at a gate.
type turn struct {
	g    *gate
	word uint64
}

// watch reports who is inside, if anybody is.
func (g *gate) watch() (turn, bool) {
	w := g.word.Load()
	return turn{g, w &^ (gateTurn - 1)}, w&gateHeld != 0
}

// over reports whether that holder has left.
func (t turn) over() bool {
	w := t.g.word.Load()
	return w&gateHeld == 0 || w&^(gateTurn-1) != t.word
}

// wait returns when that holder has left.
func (t turn) wait() {
	for !t.over() {
		runtime.Gosched()
	}
}
