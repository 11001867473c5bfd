package gate

import (
	"runtime"
	"sync/atomic"
)

// A Send admits one goroutine at a time without making others wait: a goroutine that finds it shut leaves a
// mark and goes on. The goroutine inside sees the mark before it leaves, and checks all its inputs once more,
// so no work is lost. Posters, pollers and the engine share a connection this way.
//
// Word holds: bit 0 held, bit 1 marked, then a count of how often the gate was left, which tells an observer
// that the goroutine it saw has gone. The upper half counts the requests posted to the queue behind the gate;
// it is here so that a post enters and counts itself with one atomic operation. Of these, Made counts the
// complete ones, and Back those whose completion the consumer has taken.
type Send struct {
	Word atomic.Uint64
	Made atomic.Uint64 // written inside
	Back Tally
}

const (
	HeldBit    = 1
	gateMarked = 2
	gateTurn   = 4
	gateTurns  = 1<<32 - gateTurn
	CountOne   = 1 << 32
)

// afterLeave is the word after its holder has left.
func afterLeave(w uint64) uint64 {
	return w&^(gateTurns|HeldBit) | (w+gateTurn)&gateTurns
}

// Enter enters the gate, or marks it and returns false.
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

// TryEnter enters the gate if it is free, and leaves no mark if it is not.
func (g *Send) TryEnter() bool {
	w := g.Word.Load()
	return w&HeldBit == 0 && g.Word.CompareAndSwap(w, w|HeldBit)
}

// CountIn counts one post, if fewer than limit are counted, and enters the gate if it is free.
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

// Leave leaves the gate. If there is a mark, it returns true and does not leave: the caller must check its
// inputs again and leave again.
func (g *Send) Leave() (again bool) {
	for {
		w := g.Word.Load()
		if w&gateMarked != 0 {
			g.Word.And(^uint64(gateMarked))
			return true
		}
		if g.Word.CompareAndSwap(w, afterLeave(w)) {
			return false
		}
	}
}

// Lock waits for the gate. Stays are brief: one piece of a copy, or one system call that does not block.
func (g *Send) Lock() {
	for !g.TryEnter() {
		runtime.Gosched()
	}
}

// Count counts n posts, or fewer if limit allows only fewer.
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

// Used is the number of posts that are under way, or complete and not taken by the consumer.
func (g *Send) Used() int {
	back := g.Back.N.Load()
	return Between(back, g.Word.Load())
}

// Uncount subtracts n posts that make no entry.
func (g *Send) Uncount(n int) { g.Word.Add(-(uint64(n) * CountOne)) }

// Between is how many posts w counts beyond a number, made or back, that was read before w and so is never
// ahead; if that number has grown since, the result may be too large.
func Between(back, w uint64) int { return int(uint32(w>>32) - uint32(back)) }

// A Tally counts the entries of one queue that the consumer has taken. The consumer of one completion queue
// takes all entries of one half of a queue pair, so no atomic addition is needed. Entries of a shared receive
// queue are taken by many consumers.
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
