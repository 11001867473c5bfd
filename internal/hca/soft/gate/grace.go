package gate

import (
	"runtime"
	"sync/atomic"
)

// A Stay is one holder's stay at a gate, or another process's stay in memory of
// this one.
type Stay struct {
	Gate *atomic.Uint64 // its word
	word uint64
	Peer peerStay // another process's; nil: it is one at a gate
}

// A peerStay is another process's stay in memory of this one.
type peerStay interface {
	// Over reports whether it has ended, or has been ended.
	Over() bool
}

// Watch reports who is inside a gate, if anybody is.
func Watch(gate *atomic.Uint64) (Stay, bool) {
	w := gate.Load()
	return Stay{Gate: gate, word: w & gateTurns}, w&HeldBit != 0
}

// Over reports whether that holder has left.
func (t Stay) Over() bool {
	if t.Peer != nil {
		return t.Peer.Over()
	}
	w := t.Gate.Load()
	return w&HeldBit == 0 || w&gateTurns != t.word
}

// Wait returns when that holder has left.
func (t Stay) Wait() {
	for !t.Over() {
		runtime.Gosched()
	}
}
