package soft

import "github.com/godapl/godapl/internal/hca"

// A large transfer goes in pieces, and leaves its last ones in the processor's caches.
// The next one between the same bytes begins there: what has just been last comes first,
// and does not come from further away. That is so for what is larger with its target than
// the second-level cache, where half of it is found there, and for what is somewhat
// larger than the first-level one.
const (
	backLeast = 48 << 10
	backMost  = 128 << 10
)

// fineSize is the pieces of a large transfer between mappings: small against the caches, so
// that most of what is in them is found there. The kernel has larger ones.
const fineSize = 128 << 10

// lastReach is what the last such transfer of a connection was.
type lastReach struct {
	near, far uint64
	key       hca.Key
	back      bool
}

// backwards decides how the next one goes. The caller is inside tx.
func (c *shmConn) backwards(near, far uint64, key hca.Key) bool {
	last := &c.out.last
	same := last.near == near && last.far == far && last.key == key
	*last = lastReach{near, far, key, same && !last.back}
	return last.back
}

// nextPiece is where the next piece is, and how long. Backwards, the last byte is a piece of
// its own, and comes at the end all the same: who sees it sees the rest.
func nextPiece(r *sendReq) (at, n uint64) {
	left := r.total - r.off
	if !r.back || left == 1 {
		return r.off, min(left, r.step)
	}
	left--
	at = (left - 1) / r.step * r.step
	return at, left - at
}
