package sharedmem

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/shm"
)

// TestPieces: in either direction, the pieces cover the whole transfer once, none is too long, and the last
// byte is in the last piece.
func TestPieces(t *testing.T) {
	for _, p := range []uint64{fineSize, shm.PieceSize} {
		testPieces(t, p)
	}
}

func testPieces(t *testing.T, p uint64) {
	for _, total := range []uint64{1, 2, p - 1, p, p + 1, p + 2, 2*p - 1, 2 * p, 2*p + 1, 5*p + 77} {
		for _, back := range []bool{false, true} {
			r := core.SendReq{Total: total, Back: back, Step: p}
			had := make([]byte, total)
			at, n := uint64(0), uint64(0)
			for r.Off < total {
				if had[total-1] != 0 {
					t.Fatalf("%d backwards %v: the last byte is there before the piece at %d", total, back, r.Off)
				}
				at, n = nextPiece(&r)
				if n == 0 || n > p || at+n > total {
					t.Fatalf("%d backwards %v: %d at %d", total, back, n, at)
				}
				for i := range had[at : at+n] {
					had[at:][i]++
				}
				if r.Off == 0 && back && total > p+1 && at < p {
					t.Errorf("%d: the first piece backwards is at %d", total, at)
				}
				r.Off += n
			}
			for i, times := range had {
				if times != 1 {
					t.Fatalf("%d backwards %v: byte %d came %d times", total, back, i, times)
				}
			}
		}
	}
}

// TestBackwards: every other transfer between the same buffers goes backwards.
func TestBackwards(t *testing.T) {
	var c Conn
	for i, step := range []struct {
		near, far uint64
		key       hca.Key
		back      bool
	}{{1, 2, 3, false}, {1, 2, 3, true}, {1, 2, 3, false}, {1, 4, 3, false}, {1, 4, 3, true}, {1, 2, 3, false}, {5, 2, 3, false}, {5, 2, 6, false}, {5, 2, 6, true}} {
		if got := c.backwards(step.near, step.far, step.key); got != step.back {
			t.Errorf("step %d: %v", i, got)
		}
	}
}
