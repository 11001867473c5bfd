package gate

import (
	"runtime"
	"sync/atomic"

	"github.com/godapl/godapl/internal/fence"
)

// Recv is the gate of a receive half: a try-lock with a mark, without Send's counter of posts. It is tuned for
// pollers, which pass it in each poll: entering costs one atomic operation, and Slip costs none where the
// kernel issues the fence for a goroutine that leaves a mark (see package fence). So the mark is a word of its
// own. The holder reads it after it has let go, and enters once more if it is set, unless another goroutine is
// inside by then, which will see the mark in the same way.
//
// Word is laid out as Send's, without mark and counter.
type Recv struct {
	Word   atomic.Uint64 // written when entering and leaving
	marked atomic.Uint32 // written by a goroutine that finds the gate shut, and inside
}

// TryEnter enters the gate if it is free, and leaves no mark if it is not.
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

// Enter enters the gate, or marks it and returns false: the goroutine inside then checks its inputs once more
// before it leaves.
func (g *Recv) Enter() bool {
	if g.TryEnter() {
		return true
	}
	g.marked.Swap(1) // even if it is set, because it may be cleared just now
	if !fence.Other(g.TryEnter) {
		return false
	}
	g.marked.Store(0)
	return true
}

// Leave leaves the gate. If there is a mark it returns true, and the caller is inside again: it must check its
// inputs again and leave again. Leave is a full barrier, which a caller that has made entries needs before it
// checks whether a consumer sleeps: see CQ.commit.
func (g *Recv) Leave() (again bool) {
	g.Word.Store(afterLeave(g.Word.Load()))
	return g.marked.Load() != 0 && g.reenter()
}

// Slip is Leave without the barrier, for a caller that has made no entry and checks no sleeper after it.
func (g *Recv) Slip() (again bool) {
	fence.StoreThenLook(&g.Word, afterLeave(g.Word.Load()))
	return g.marked.Load() != 0 && g.reenter()
}

// reenter enters again because of a mark.
func (g *Recv) reenter() bool {
	if !g.TryEnter() {
		return false
	}
	g.marked.Store(0) // before the caller checks its inputs
	return true
}

// Lock waits for the gate: see Send.Lock.
func (g *Recv) Lock() {
	for !g.TryEnter() {
		runtime.Gosched()
	}
}
