package vipl

import (
	"slices"
	"sync"
)

// Registered pages are kept in memory with mlock. That does not nest: one munlock undoes
// every mlock of a page. So the process counts for each page how many regions cover it.

// locks is the locked pages of the process.
var locks = &pageLocks{lock1: lockPages, unlock1: unlockPages}

// pageLocks are ranges of pages with the number of regions that cover them, sorted, without
// overlaps, and without ranges that nothing covers.
type pageLocks struct {
	lock1   func(from, to uint64) bool
	unlock1 func(from, to uint64)

	mu     sync.Mutex
	ranges []lockedRange
}

type lockedRange struct {
	from, to uint64 // addresses of pages; to is behind the last one
	count    int
}

// pagesOf is the range of the pages that hold b.
func pagesOf(b []byte) (from, to uint64) {
	page := uint64(pageSize)
	from = AddressOf(b) &^ (page - 1)
	return from, (AddressOf(b) + uint64(len(b)) + page - 1) &^ (page - 1)
}

// lock counts a region, and locks the pages that no other region covers. If that fails,
// nothing has changed.
func (l *pageLocks) lock(b []byte) bool {
	from, to := pagesOf(b)
	l.mu.Lock()
	defer l.mu.Unlock()
	i, j := l.cut(from, to)
	var fresh []lockedRange // what lies between the ranges
	at := from
	for _, r := range l.ranges[i:j] {
		if at < r.from {
			fresh = append(fresh, lockedRange{at, r.from, 1})
		}
		at = r.to
	}
	if at < to {
		fresh = append(fresh, lockedRange{at, to, 1})
	}
	for k, f := range fresh {
		if !l.lock1(f.from, f.to) {
			l.unlock1(f.from, f.to) // a part of it may be locked
			for _, f := range fresh[:k] {
				l.unlock1(f.from, f.to)
			}
			return false
		}
	}
	covered := slices.Clone(l.ranges[i:j])
	for k := range covered {
		covered[k].count++
	}
	covered = append(covered, fresh...)
	slices.SortFunc(covered, func(a, b lockedRange) int { return int(int64(a.from - b.from)) })
	l.ranges = joined(slices.Replace(l.ranges, i, j, covered...))
	return true
}

// unlock undoes a lock, and unlocks the pages that no other region covers.
func (l *pageLocks) unlock(b []byte) {
	from, to := pagesOf(b)
	l.mu.Lock()
	defer l.mu.Unlock()
	i, j := l.cut(from, to)
	left := l.ranges[i:i:i]
	for _, r := range l.ranges[i:j] {
		if r.count--; r.count > 0 {
			left = append(left, r)
		} else {
			l.unlock1(r.from, r.to)
		}
	}
	l.ranges = joined(slices.Replace(l.ranges, i, j, left...))
}

// joined makes one range of neighbours with the same count.
func joined(ranges []lockedRange) []lockedRange {
	out := ranges[:0]
	for _, r := range ranges {
		if n := len(out); n > 0 && out[n-1].to == r.from && out[n-1].count == r.count {
			out[n-1].to = r.to
			continue
		}
		out = append(out, r)
	}
	return out
}

// cut splits the ranges that reach over an edge of from..to, and returns which ranges lie
// inside. The caller holds mu.
func (l *pageLocks) cut(from, to uint64) (i, j int) {
	for _, edge := range [...]uint64{from, to} {
		k, _ := slices.BinarySearchFunc(l.ranges, edge, func(r lockedRange, e uint64) int {
			if r.to <= e {
				return -1
			}
			return 1
		})
		if k < len(l.ranges) && l.ranges[k].from < edge {
			r := l.ranges[k]
			l.ranges = slices.Replace(l.ranges, k, k+1, lockedRange{r.from, edge, r.count}, lockedRange{edge, r.to, r.count})
		}
	}
	for i < len(l.ranges) && l.ranges[i].from < from {
		i++
	}
	for j = i; j < len(l.ranges) && l.ranges[j].from < to; j++ {
	}
	return i, j
}
