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
// The word holds: bit 0 held, bit 1 marked, then a count of the times it was
// left, which tells an observer that the holder it saw is gone. The upper half
// counts what was posted to the queue behind the gate, here so that a post that
// enters and counts itself needs one atomic operation for both. Of that, made counts
// what is complete, and back what the consumer has seen.
type gate struct {
	word atomic.Uint64
	made atomic.Uint64 // written by the holder
	back tally
}

const (
	gateHeld   = 1
	gateMarked = 2
	gateTurn   = 4
	gateTurns  = 1<<32 - gateTurn
	countOne   = 1 << 32
)

// left is the word after its holder has gone.
func left(w uint64) uint64 {
	return w&^(gateTurns|gateHeld) | (w+gateTurn)&gateTurns
}

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

// countIn counts one post, if fewer than limit are counted, and takes the gate
// along if it is free.
func (g *gate) countIn(limit int) (counted, inside bool) {
	for {
		back := g.back.n.Load()
		w := g.word.Load()
		if between(back, w) >= limit {
			if g.back.n.Load() == back {
				return false, false
			}
			continue
		}
		if g.word.CompareAndSwap(w, (w|gateHeld)+countOne) {
			return true, w&gateHeld == 0
		}
	}
}

// leave lets go. It reports true, and does not let go, if there is a mark: the
// holder must look at its inputs again and leave again.
func (g *gate) leave() (again bool) {
	for {
		w := g.word.Load()
		if w&gateMarked != 0 {
			g.word.And(^uint64(gateMarked))
			return true
		}
		if g.word.CompareAndSwap(w, left(w)) {
			return false
		}
	}
}

// lock waits for the gate. Holders are brief: one piece of a copy, one system
// call that does not block.
func (g *gate) lock() {
	for !g.tryEnter() {
		runtime.Gosched()
	}
}

// count counts n posts, or as many as are missing to limit.
func (g *gate) count(limit, n int) int {
	for {
		back := g.back.n.Load()
		w := g.word.Load()
		fit := min(n, limit-between(back, w))
		if fit < n && g.back.n.Load() != back {
			continue
		}
		if fit <= 0 {
			return 0
		}
		if g.word.CompareAndSwap(w, w+uint64(fit)*countOne) {
			return fit
		}
	}
}

// used is how many posts are under way, or complete and not seen by the consumer.
func (g *gate) used() int {
	back := g.back.n.Load()
	return between(back, g.word.Load())
}

// uncount takes n posts back that leave no entry.
func (g *gate) uncount(n int) { g.word.Add(-(uint64(n) * countOne)) }

// between is how many posts w counts beyond a number, made or back, that was read
// first and so is never ahead; if that has moved since, the answer may be too large.
func between(back, w uint64) int { return int(uint32(w>>32) - uint32(back)) }

// A tally counts the entries of one queue that the consumer has taken. Entries
// of one side of a queue pair are taken by the consumer of one completion queue,
// so no atomic addition is needed. Those of a shared receive queue are taken by
// many.
type tally struct {
	n    atomic.Uint64
	many bool // constant
}

func (t *tally) add(n int) {
	if t.many {
		t.n.Add(uint64(n))
	} else {
		storeRelease(&t.n, t.n.Load()+uint64(n))
	}
}
