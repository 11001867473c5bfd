package progress

import (
	"sync/atomic"
	"time"
)

// Bounds of what is kept back: the peers should have something to do meanwhile, and a program that takes its time for
// each completion has each answer sent with the next one.
const (
	keptPosts = 256
	keptTime  = 100 * time.Microsecond
)

// A KeptBack counts posts that are kept back, to be sent together. To read the clock costs as much as to post. So while
// posts follow each other fast, only each eighth reads it. The first one does, and at the beginning of the next batch
// half as many are left out: also batches of few posts show whether the program has become slow.
type KeptBack struct {
	n     atomic.Uint32
	next  atomic.Uint32 // the post that reads the clock
	skip  atomic.Uint32 // how many posts later the one after it does
	since atomic.Int64  // when the first post was counted
	last  atomic.Int64  // when the clock was read
}

// Bounds of skip, and the time between two readings of a fast program.
const (
	mostSkipped = 8
	fastTime    = keptTime / 4
)

// Reset begins anew: nothing is kept back.
func (k *KeptBack) Reset() { k.n.Store(0) }

// Full counts a post, and reports whether a bound is reached.
func (k *KeptBack) Full() bool {
	n := k.n.Add(1)
	if n > 1 && n < k.next.Load() {
		return n >= keptPosts
	}
	now, skip := time.Since(epoch), k.skip.Load()
	switch {
	case n == 1:
		k.since.Store(int64(now))
		skip /= 2
	case now-time.Duration(k.last.Load()) < fastTime:
		skip = min(2*skip, mostSkipped)
	default:
		skip = 1
	}
	skip = max(skip, 1)
	k.last.Store(int64(now))
	k.skip.Store(skip)
	k.next.Store(n + skip)
	return n >= keptPosts || now-time.Duration(k.since.Load()) > keptTime
}
