package soft

import (
	"runtime"
	"sync/atomic"
)

// A stay is one holder's stay at a gate, or another process's stay in memory of
// this one.
type stay struct {
	gate *atomic.Uint64 // its word
	word uint64
	peer peerStay // another process's; nil: it is one at a gate
}

// A peerStay is another process's stay in memory of this one.
type peerStay interface {
	// over reports whether it has ended, or has been ended.
	over() bool
}

// watch reports who is inside a gate, if anybody is.
func watch(gate *atomic.Uint64) (stay, bool) {
	w := gate.Load()
	return stay{gate: gate, word: w & gateTurns}, w&gateHeld != 0
}

// over reports whether that holder has left.
func (t stay) over() bool {
	if t.peer != nil {
		return t.peer.over()
	}
	w := t.gate.Load()
	return w&gateHeld == 0 || w&gateTurns != t.word
}

// wait returns when that holder has left.
func (t stay) wait() {
	for !t.over() {
		runtime.Gosched()
	}
}
