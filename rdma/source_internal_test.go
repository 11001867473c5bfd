package rdma

import (
	"math"
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// TestLengthsAreNotNegative: a write with immediate data has the length that the peer tells. An int may have less.
func TestLengthsAreNotNegative(t *testing.T) {
	for _, n := range []uint64{0, 1, math.MaxInt, math.MaxInt + 1, math.MaxUint64} {
		var c Completion
		translate(&c, &hca.WC{Op: OpRecvWriteImm, Len: n}, new(session))
		if c.Length < 0 || uint64(c.Length) != min(n, math.MaxInt) {
			t.Errorf("%d bytes are %d", n, c.Length)
		}
	}
}
