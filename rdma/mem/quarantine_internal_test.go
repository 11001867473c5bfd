package mem

import (
	"errors"
	"testing"
)

// TestQuarantineIsBounded fills a small one and looks at what leaves it, when
// and in which order.
func TestQuarantineIsBounded(t *testing.T) {
	var blanked, unmapped int
	var order []int
	q := quarantine{maxRanges: 3, maxBytes: 100,
		blank: func([]byte) error { blanked++; return nil },
		unmap: func(b []byte) { unmapped++; order = append(order, len(b)) }}
	for _, n := range []int{10, 20, 30, 5} { // the fourth pushes the first out by number
		q.take(make([]byte, n))
	}
	if blanked != 4 || unmapped != 1 || order[0] != 10 || q.bytes != 55 {
		t.Fatalf("blanked %d, unmapped %v, holds %d", blanked, order, q.bytes)
	}
	q.take(make([]byte, 66)) // over the number, then the bytes
	if len(order) != 3 || order[1] != 20 || order[2] != 30 || q.bytes != 71 {
		t.Fatalf("unmapped %v, holds %d", order, q.bytes)
	}
	q.take(make([]byte, 101)) // never fits, and pushes nobody out
	if len(order) != 4 || order[3] != 101 || q.bytes != 71 {
		t.Fatalf("unmapped %v, holds %d", order, q.bytes)
	}
	q.blank = func([]byte) error { return errors.New("no") }
	q.take(make([]byte, 7))
	if len(order) != 5 || order[4] != 7 || q.bytes != 71 {
		t.Fatalf("unmapped %v, holds %d", order, q.bytes)
	}
}
