package soft

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A turn is one holder's stay at a gate, or another process's stay in memory of
// this one.
type turn struct {
	gate *atomic.Uint64 // its word
	word uint64

	c     *shmConn
	half  int
	key   uint64
	grant *grant // what the key stood for; may be nil
	until time.Time
}

// watch reports who is inside a gate, if anybody is.
func watch(gate *atomic.Uint64) (turn, bool) {
	w := gate.Load()
	return turn{gate: gate, word: w & gateTurns}, w&gateHeld != 0
}

// over reports whether that holder has left.
func (t turn) over() bool {
	if t.c != nil {
		return t.c.left(t)
	}
	w := t.gate.Load()
	return w&gateHeld == 0 || w&gateTurns != t.word
}

// wait returns when that holder has left.
func (t turn) wait() {
	for !t.over() {
		runtime.Gosched()
	}
}
