package soft

import (
	"runtime"
	"sync/atomic"

	"github.com/godapl/godapl/internal/fence"
)

// rxGate is a gate that nothing is counted at: the one of a receiving half. Whoever
// polls passes it each time, so it is made for them: to enter is one atomic operation,
// and to slip out is none where the kernel makes fences for those who leave a mark (see
// package fence). So a mark is a word of its own, and the holder looks at it behind
// letting go. It then enters once more, unless somebody else has by now, who will find
// the mark in the same way.
//
// word is a gate's, without mark and count.
type rxGate struct {
	word   atomic.Uint64 // written by who enters, and by who is inside
	marked atomic.Uint32 // written by who finds it shut, and by who is inside
}

// tryEnter takes the gate if it is free and leaves no mark if it is not.
func (g *rxGate) tryEnter() bool {
	for {
		w := g.word.Load()
		if w&gateHeld != 0 {
			return false
		}
		if g.word.CompareAndSwap(w, w|gateHeld) {
			return true
		}
	}
}

// enter takes the gate, or marks it and reports false: whoever is inside looks at
// everything once more before it is gone.
func (g *rxGate) enter() bool {
	if g.tryEnter() {
		return true
	}
	g.marked.Swap(1) // in any case, as a mark may be taken just now
	if !fence.Other(g.tryEnter) {
		return false
	}
	g.marked.Store(0)
	return true
}

// leave lets go. It reports true, and the caller is inside, if there is a mark: it must
// look at its inputs again and leave again. It is a full barrier, which who has made
// entries needs before it looks whether somebody sleeps: see cq.commit.
func (g *rxGate) leave() (again bool) {
	g.word.Store(left(g.word.Load()))
	return g.marked.Load() != 0 && g.back()
}

// slip is leave without the barrier, for who has put no entry into a queue and looks at
// nothing behind it.
func (g *rxGate) slip() (again bool) {
	fence.StoreThenLook(&g.word, left(g.word.Load()))
	return g.marked.Load() != 0 && g.back()
}

// back enters again for a mark.
func (g *rxGate) back() bool {
	if !g.tryEnter() {
		return false
	}
	g.marked.Store(0) // before the caller looks
	return true
}

// Dump is the state of the gate, for tests that compare states.
func (g *rxGate) Dump() (word uint64, marked uint32) { return g.word.Load(), g.marked.Load() }

// lock waits for the gate: see gate.lock.
func (g *rxGate) lock() {
	for !g.tryEnter() {
		runtime.Gosched()
	}
}
