package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// A large transfer is copied in pieces, and leaves its last pieces in the processor's caches. If the next
// transfer has the same source and target, it runs in the opposite direction: it begins with the pieces that
// are still cached. This pays where source and target together are larger than the second-level cache, of which
// half is then reused, and where they are somewhat larger than the first-level cache.
const (
	backLeast = 48 << 10
	backMost  = 128 << 10
)

// fineSize is the piece size of a large transfer between mappings: small against the caches, so that most of a
// cached region is reused. Transfers through the kernel use larger pieces.
const fineSize = 128 << 10

// lastTransfer describes the last such transfer of a connection.
type lastTransfer struct {
	near, far uint64
	key       hca.Key
	back      bool
}

// backwards decides the direction of the next transfer. The caller is inside tx.
func (c *Conn) backwards(near, far uint64, key hca.Key) bool {
	last := &c.out.last
	same := last.near == near && last.far == far && last.key == key
	*last = lastTransfer{near, far, key, same && !last.back}
	return last.back
}

// nextPiece returns the place and length of the next piece. A backward transfer still copies the last byte at
// the very end, as a piece of its own: a reader that sees it sees all the rest.
func nextPiece(r *core.SendReq) (at, n uint64) {
	left := r.Total - r.Off
	if !r.Back || left == 1 {
		return r.Off, min(left, r.Step)
	}
	left--
	at = (left - 1) / r.Step * r.Step
	return at, left - at
}
