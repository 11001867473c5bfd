package vipl

import (
	"math/rand/v2"
	"testing"
)

// TestPagesAreCounted compares the ranges with a count for every page.
func TestPagesAreCounted(t *testing.T) {
	all := Memalign(pageSize, 64*pageSize)
	first := AddressOf(all) / uint64(pageSize)
	var locked [64]bool
	most := 1000
	l := &pageLocks{}
	each := func(from, to uint64, f func(i uint64)) {
		for a := from; a < to; a += uint64(pageSize) {
			f(a/uint64(pageSize) - first)
		}
	}
	l.lock1 = func(from, to uint64) bool {
		n := 0
		each(from, to, func(i uint64) {
			if locked[i] {
				t.Fatal("locked twice")
			}
			if n++; n <= most {
				locked[i] = true
			}
		})
		return n <= most
	}
	l.unlock1 = func(from, to uint64) { each(from, to, func(i uint64) { locked[i] = false }) }
	var held [][]byte
	var count [64]int
	add := func(b []byte, by int) {
		from, to := pagesOf(b)
		each(from, to, func(i uint64) { count[i] += by })
	}
	for range 5000 {
		if n := len(held); n > 0 && (n > 12 || rand.IntN(2) == 0) {
			i := rand.IntN(n)
			l.unlock(held[i])
			add(held[i], -1)
			held[i] = held[n-1]
			held = held[:n-1]
		} else {
			off := rand.IntN(len(all) - 1)
			b := all[off : off+1+rand.IntN(len(all)-off)]
			most = 3 + rand.IntN(100)
			if l.lock(b) {
				held = append(held, b)
				add(b, 1)
			}
		}
		for i := range count {
			if locked[i] != (count[i] > 0) {
				t.Fatalf("page %d: %d regions, locked %v", i, count[i], locked[i])
			}
		}
	}
	for _, b := range held {
		l.unlock(b)
	}
	if len(l.ranges) != 0 {
		t.Fatalf("%v", l.ranges)
	}
}
