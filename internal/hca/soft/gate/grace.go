package gate

import (
	"runtime"
	"sync/atomic"
)

// A Stay is one goroutine's stay inside a gate, or another process's access to memory of this one.
type Stay struct {
	Gate *atomic.Uint64 // the gate's word
	word uint64
	Peer peerStay // another process's access; nil: a stay at a gate
}

// A peerStay is another process's access to memory of this one.
type peerStay interface {
	// Over reports whether the access has ended, or has been ended.
	Over() bool
}

// Watch returns the stay of the goroutine that is inside a gate, if there is one.
func Watch(gate *atomic.Uint64) (Stay, bool) {
	w := gate.Load()
	return Stay{Gate: gate, word: w & gateTurns}, w&HeldBit != 0
}

// Over reports whether that goroutine has left.
func (t Stay) Over() bool {
	if t.Peer != nil {
		return t.Peer.Over()
	}
	w := t.Gate.Load()
	return w&HeldBit == 0 || w&gateTurns != t.word
}

// Wait returns when that goroutine has left.
func (t Stay) Wait() {
	for !t.Over() {
		runtime.Gosched()
	}
}
