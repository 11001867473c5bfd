package mem

import (
	"sync"

	"github.com/godapl/godapl/internal/shm"
)

// Bounds of the quarantine. The bytes are addresses, not memory: their pages
// have been given back.
const (
	quarantineRanges = 256
	quarantineBytes  = 1 << (26 + 8*(^uint(0)>>63)) // 64 MiB, or 16 GiB where addresses are plenty
)

// quarantine keeps freed address ranges for a while, so that a late use of freed memory reads
// zeros. Without it the program would crash with a fault or, worse, see another region's data.
type quarantine struct {
	mu     sync.Mutex
	ranges [][]byte // oldest first
	bytes  uint64
	// Limits, and the functions that blank and unmap a range.
	maxRanges int
	maxBytes  uint64
	blank     func([]byte) error
	unmap     func([]byte)
}

var freed = quarantine{maxRanges: quarantineRanges, maxBytes: quarantineBytes, blank: sysBlank, unmap: unmap}

// unmap ends a mapping of the library's.
func unmap(b []byte) {
	sysUnmap(b)
	shm.DropMapping()
}

// empty unmaps all ranges.
func (q *quarantine) empty() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, b := range q.ranges {
		q.unmap(b)
	}
	q.ranges, q.bytes = nil, 0
}

// take gives the pages of b back and keeps its addresses. A range that is
// larger than the bound, or that cannot be blanked, is unmapped at once.
func (q *quarantine) take(b []byte) {
	if uint64(len(b)) > q.maxBytes || q.blank(b) != nil {
		q.unmap(b)
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ranges = append(q.ranges, b)
	q.bytes += uint64(len(b))
	for len(q.ranges) > q.maxRanges || q.bytes > q.maxBytes {
		oldest := q.ranges[0]
		q.ranges[0] = nil
		q.ranges = q.ranges[1:]
		q.bytes -= uint64(len(oldest))
		q.unmap(oldest)
	}
}
