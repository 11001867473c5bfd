package mem

import "math/bits"

// A chunk is one mapping whose pages are allocated to regions. The arena's mutex guards it.
type chunk struct {
	arena *arena
	bytes []byte
	pages int
	taken []uint64 // a bit for each page: it is a region's, or rests
	used  []uint64 // a bit for each page: it has been a region's
	spare int      // pages that are free
	run   int      // an upper bound of the longest run of free pages
	from  int      // the first word of taken with a free page is not before this one
	live  int      // regions
	gone  bool     // removed from the arena
}

func newChunk(a *arena, b []byte) *chunk {
	pages := len(b) / PageSize()
	words := (pages + 63) / 64
	c := &chunk{arena: a, bytes: b, pages: pages, spare: pages, run: pages,
		taken: make([]uint64, words), used: make([]uint64, words)}
	if over := pages % 64; over > 0 {
		c.taken[words-1] = ^uint64(0) << over
	}
	return c
}

// at is the memory of some pages.
func (c *chunk) at(page, n int) []byte {
	size := PageSize()
	return c.bytes[page*size : (page+n)*size : (page+n)*size]
}

// find returns the first of n consecutive free pages; -1 if there are none.
func (c *chunk) find(n int) int {
	if n > c.spare || n > c.run {
		return -1
	}
	for c.taken[c.from] == ^uint64(0) {
		c.from++
	}
	for at := c.next(c.from*64, false); at < c.pages; {
		end := c.next(at, true)
		if end-at >= n {
			return at
		}
		at = c.next(end, false)
	}
	c.run = n - 1
	return -1
}

// next is the first page from at on that is taken, or that is not; if there is none, a
// number that is no page's.
func (c *chunk) next(at int, taken bool) int {
	for ; at < c.pages; at = (at/64 + 1) * 64 {
		w := c.taken[at/64]
		if !taken {
			w = ^w
		}
		if w >>= at % 64; w != 0 {
			return at + bits.TrailingZeros64(w)
		}
	}
	return max(at, c.pages)
}

// take allocates pages. It reports whether a former region has used one of them.
func (c *chunk) take(page, n int) (late bool) {
	c.live++
	c.spare -= n
	each(page, n, func(word int, mask uint64) {
		late = late || c.used[word]&mask != 0
		c.taken[word] |= mask
		c.used[word] |= mask
	})
	return late
}

// give makes pages free again.
func (c *chunk) give(page, n int) {
	c.spare += n
	each(page, n, func(word int, mask uint64) { c.taken[word] &^= mask })
	c.from = min(c.from, page/64)
	c.run = max(c.run, c.next(page, true)-c.first(page))
}

// first is where the free pages begin that end before at.
func (c *chunk) first(at int) int {
	for at > 0 {
		n := (at-1)%64 + 1 // pages of this word
		if w := c.taken[(at-1)/64] << (64 - n); w != 0 {
			return at - bits.LeadingZeros64(w)
		}
		at -= n
	}
	return 0
}

// each calls do for the words that have n bits from at on, with a mask of these.
func each(at, n int, do func(word int, mask uint64)) {
	for n > 0 {
		k := min(n, 64-at%64)
		do(at/64, ^uint64(0)>>(64-k)<<(at%64))
		at, n = at+k, n-k
	}
}
