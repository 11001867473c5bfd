package mem

import (
	"math/rand/v2"
	"testing"
)

// naive is a chunk without haste.
type naive []bool

func (c naive) find(n int) int {
	run := 0
	for i, taken := range c {
		if run++; taken {
			run = 0
		}
		if run == n {
			return i - n + 1
		}
	}
	return -1
}

func (c naive) set(at, n int, taken bool) {
	for i := range n {
		c[at+i] = taken
	}
}

// TestChunkFindsTheFirstPages compares a chunk with a naive one, page for page.
func TestChunkFindsTheFirstPages(t *testing.T) {
	for _, pages := range []int{1, 63, 64, 65, 200, 256} {
		for _, most := range []int{1, 3, 70} {
			rng := rand.New(rand.NewPCG(uint64(pages), uint64(most)))
			c, model := newChunk(nil, make([]byte, pages*PageSize())), make(naive, pages)
			type piece struct{ at, n int }
			var all []piece
			for round := range 20000 {
				n := 1 + rng.IntN(most)
				if rng.IntN(2) == 0 || round%1000 > 900 {
					at := c.find(n)
					if want := model.find(n); at != want {
						t.Fatalf("%d pages: %d at %d, want %d", pages, n, at, want)
					}
					if at < 0 {
						continue
					}
					if b := c.at(at, n); len(b) != n*PageSize() || cap(b) != len(b) || &b[0] != &c.bytes[at*PageSize()] {
						t.Fatalf("%d bytes", len(b))
					}
					c.take(at, n)
					model.set(at, n, true)
					all = append(all, piece{at, n})
				} else if len(all) > 0 {
					i := rng.IntN(len(all))
					p := all[i]
					all[i] = all[len(all)-1]
					all = all[:len(all)-1]
					c.live--
					c.give(p.at, p.n)
					model.set(p.at, p.n, false)
				}
			}
			for _, p := range all {
				c.give(p.at, p.n)
			}
			if c.spare != pages || c.run != pages || c.find(pages) != 0 {
				t.Errorf("%d of %d pages are free, %d in a row", c.spare, pages, c.run)
			}
		}
	}
}

// TestChunkKnowsWhatWasUsed: pages that are used for the first time need no zeroing.
func TestChunkKnowsWhatWasUsed(t *testing.T) {
	c := newChunk(nil, make([]byte, 300*PageSize()))
	if c.take(0, 100) || c.take(100, 100) {
		t.Error("new pages were somebody's")
	}
	c.give(100, 100)
	if !c.take(199, 2) || c.take(201, 3) {
		t.Error("one page of the first was used, none of the second")
	}
}

// TestRestIsInOrder: the oldest range leaves first, when there are too many, or too many
// bytes of them.
func TestRestIsInOrder(t *testing.T) {
	c := newChunk(&arena{}, make([]byte, 1000*PageSize()))
	var q restQueue
	in := func(at, n int) {
		c.take(at, n)
		q.enter(c, c.at(at, n))
	}
	for at := range 200 {
		in(at, 1)
	}
	q.leave(150, restBytes)
	if got := c.find(1); got != 0 || c.next(0, true) != 50 || q.n != 150 || q.bytes != 150*PageSize() {
		t.Errorf("page %d is free, %d is not; %d rest, %d bytes", got, c.next(0, true), q.n, q.bytes)
	}
	for at := range 50 { // around the end of the ring
		in(at, 1)
	}
	in(200, 700)
	q.leave(restRanges, 740*PageSize())
	if q.n != 41 || c.next(0, true) != 10 || c.next(50, true) != 200 {
		t.Errorf("%d rest; %d and %d are not free", q.n, c.next(0, true), c.next(50, true))
	}
	q.leave(0, 0)
	if q.n != 0 || q.bytes != 0 || c.spare != c.pages {
		t.Errorf("%d rest, %d bytes", q.n, q.bytes)
	}
}

// TestOwnFilesAreBounded, and small ones leave room for others.
func TestOwnFilesAreBounded(t *testing.T) {
	defer func(f func() int64) { mostFiles = f }(mostFiles)
	mostFiles = func() int64 { return 8 }
	var o ownFiles
	count := func(small bool) (n int) {
		for o.take(small) {
			n++
		}
		return n
	}
	if small, large := count(true), count(false); small != 4 || large != 4 {
		t.Errorf("%d small and %d large files", small, large)
	}
	o.give(true)
	o.give(false)
	if small, large := count(true), count(false); small != 1 || large != 1 {
		t.Errorf("%d small and %d large files, when one of each has gone", small, large)
	}
}
