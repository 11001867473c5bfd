package gate

import (
	"runtime"
	"sync/atomic"

	"github.com/godapl/godapl/internal/fence"
)

// Recv is a gate that nothing is counted at: the one of a receiving half. Whoever
// polls passes it each time, so it is made for them: to enter is one atomic operation,
// and to slip out is none where the kernel makes fences for those who leave a mark (see
// package fence). So a mark is a word of its own, and the holder looks at it behind
// letting go. It then enters once more, unless somebody else has by now, who will find
// the mark in the same way.
//
// word is a gate's, without mark and count.
type Recv struct {
	Word   atomic.Uint64 // written by who enters, and by who is inside
	marked atomic.Uint32 // written by who finds it shut, and by who is inside
}

// TryEnter takes the gate if it is free and leaves no mark if it is not.
func (g *Recv) TryEnter() bool {
	for {
		w := g.Word.Load()
		if w&HeldBit != 0 {
			return false
		}
		if g.Word.CompareAndSwap(w, w|HeldBit) {
			return true
		}
	}
}

// Enter takes the gate, or marks it and reports false: whoever is inside looks at
// everything once more before it is gone.
func (g *Recv) Enter() bool {
	if g.TryEnter() {
		return true
	}
	g.marked.Swap(1) // in any case, as a mark may be taken just now
	if !fence.Other(g.TryEnter) {
		return false
	}
	g.marked.Store(0)
	return true
}

// Leave lets go. It reports true, and the caller is inside, if there is a mark: it must
// look at its inputs again and leave again. It is a full barrier, which who has made
// entries needs before it looks whether somebody sleeps: see CQ.commit.
func (g *Recv) Leave() (again bool) {
	g.Word.Store(left(g.Word.Load()))
	return g.marked.Load() != 0 && g.back()
}

// Slip is leave without the barrier, for who has put no entry into a queue and looks at
// nothing behind it.
func (g *Recv) Slip() (again bool) {
	fence.StoreThenLook(&g.Word, left(g.Word.Load()))
	return g.marked.Load() != 0 && g.back()
}

// back enters again for a mark.
func (g *Recv) back() bool {
	if !g.TryEnter() {
		return false
	}
	g.marked.Store(0) // before the caller looks
	return true
}

// Dump is the state of the gate, for tests that compare states.
func (g *Recv) Dump() (word uint64, marked uint32) { return g.Word.Load(), g.marked.Load() }

// Lock waits for the gate: see Send.Lock.
func (g *Recv) Lock() {
	for !g.TryEnter() {
		runtime.Gosched()
	}
}
