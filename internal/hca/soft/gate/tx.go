package gate

import (
	"runtime"
	"sync/atomic"
)

// A Send lets one goroutine at a time into a section without making the
// others wait: whoever finds it shut leaves a mark and goes on. The holder sees
// the mark before it lets go and looks at everything once more, so no work is
// lost. Posters, pollers and the engine share a connection this way.
//
// The word holds: bit 0 held, bit 1 marked, then a count of the times it was
// left, which tells an observer that the holder it saw is gone. The upper half
// counts what was posted to the queue behind the gate, here so that a post that
// enters and counts itself needs one atomic operation for both. Of that, made counts
// what is complete, and back what the consumer has seen.
type Send struct {
	Word atomic.Uint64
	Made atomic.Uint64 // written by the holder
	Back Tally
}

const (
	HeldBit    = 1
	gateMarked = 2
	gateTurn   = 4
	gateTurns  = 1<<32 - gateTurn
	CountOne   = 1 << 32
)

// left is the word after its holder has gone.
func left(w uint64) uint64 {
	return w&^(gateTurns|HeldBit) | (w+gateTurn)&gateTurns
}

// Enter takes the gate, or marks it and reports false.
func (g *Send) Enter() bool {
	for {
		w := g.Word.Load()
		switch {
		case w&HeldBit == 0:
			if g.Word.CompareAndSwap(w, w|HeldBit) {
				return true
			}
		case w&gateMarked != 0:
			return false
		case g.Word.CompareAndSwap(w, w|gateMarked):
			return false
		}
	}
}

// TryEnter takes the gate if it is free and leaves no mark if it is not.
func (g *Send) TryEnter() bool {
	w := g.Word.Load()
	return w&HeldBit == 0 && g.Word.CompareAndSwap(w, w|HeldBit)
}

// CountIn counts one post, if fewer than limit are counted, and takes the gate
// along if it is free.
func (g *Send) CountIn(limit int) (counted, inside bool) {
	for {
		back := g.Back.N.Load()
		w := g.Word.Load()
		if Between(back, w) >= limit {
			if g.Back.N.Load() == back {
				return false, false
			}
			continue
		}
		if g.Word.CompareAndSwap(w, (w|HeldBit)+CountOne) {
			return true, w&HeldBit == 0
		}
	}
}

// Leave lets go. It reports true, and does not let go, if there is a mark: the
// holder must look at its inputs again and leave again.
func (g *Send) Leave() (again bool) {
	for {
		w := g.Word.Load()
		if w&gateMarked != 0 {
			g.Word.And(^uint64(gateMarked))
			return true
		}
		if g.Word.CompareAndSwap(w, left(w)) {
			return false
		}
	}
}

// Lock waits for the gate. Holders are brief: one piece of a copy, one system
// call that does not block.
func (g *Send) Lock() {
	for !g.TryEnter() {
		runtime.Gosched()
	}
}

// Count counts n posts, or as many as are missing to limit.
func (g *Send) Count(limit, n int) int {
	for {
		back := g.Back.N.Load()
		w := g.Word.Load()
		fit := min(n, limit-Between(back, w))
		if fit < n && g.Back.N.Load() != back {
			continue
		}
		if fit <= 0 {
			return 0
		}
		if g.Word.CompareAndSwap(w, w+uint64(fit)*CountOne) {
			return fit
		}
	}
}

// Used is how many posts are under way, or complete and not seen by the consumer.
func (g *Send) Used() int {
	back := g.Back.N.Load()
	return Between(back, g.Word.Load())
}

// Uncount takes n posts back that leave no entry.
func (g *Send) Uncount(n int) { g.Word.Add(-(uint64(n) * CountOne)) }

// Between is how many posts w counts beyond a number, made or back, that was read
// first and so is never ahead; if that has moved since, the answer may be too large.
func Between(back, w uint64) int { return int(uint32(w>>32) - uint32(back)) }

// A Tally counts the entries of one queue that the consumer has taken. Entries
// of one side of a queue pair are taken by the consumer of one completion queue,
// so no atomic addition is needed. Those of a shared receive queue are taken by
// many.
type Tally struct {
	N    atomic.Uint64
	Many bool // constant
}

func (t *Tally) Add(n int) {
	if t.Many {
		t.N.Add(uint64(n))
	} else {
		StoreRelease(&t.N, t.N.Load()+uint64(n))
	}
}
