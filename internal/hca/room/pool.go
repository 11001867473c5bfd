package room

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Pool is the room of one completion queue.
type Pool struct {
	mu        sync.Mutex
	size      int
	promised  int // to send queues, and to receive queues that are not shared
	lent      int // the sum of what borrowers have beyond their own
	borrowers []*Share
	shared    map[any]*sharedQueue
	// left are feeders that are gone and whose completions may still be there.
	left []func() int
}

// sharedQueue is a shared receive queue: several endpoints name it, and its receives
// complete once.
type sharedQueue struct {
	users int
	depth func() int
	left  func() int // as those of Pool, when there are no users
}

// Share is the part of one send queue.
type Share struct {
	limit atomic.Int64 // see Limit
	own   int
	used  func() int
	pool  *Pool
}

// NewPool makes the pool of a completion queue that holds size entries.
func NewPool(size int) *Pool { return &Pool{size: size} }

// Resize changes the size. It takes back what is lent and not used, since borrowers could otherwise fill the
// former room. It changes nothing and returns false if so much is in use that the new size could overflow.
func (p *Pool) Resize(size int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	former := p.size
	p.size = size
	overdrawn := func() bool { return p.free() < 0 && p.lent > 0 }
	if overdrawn() {
		p.reclaim()
	}
	if overdrawn() {
		p.size = former
		return false
	}
	return true
}

// Join makes the share of a send queue that is depth deep. used tells how many of its
// requests are under way or have completions that nobody has taken; it takes no lock
// and must not be too low.
func (p *Pool) Join(depth int, used func() int) *Share {
	s := &Share{own: depth, used: used, pool: p}
	s.limit.Store(int64(depth))
	p.Promise(depth)
	return s
}

// Leave ends the share of a queue that completes nothing any more. Its completions
// count until they are taken.
func (s *Share) Leave() {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lent -= int(s.limit.Load()) - s.own
	p.borrowers = without(p.borrowers, s)
	p.promised -= s.own
	p.leave(s.used)
}

// Promise keeps room for a queue of receives. Withdraw ends that: left tells how many
// completions of the queue nobody has taken yet.
func (p *Pool) Promise(depth int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.promised += depth
}

// Withdraw ends a Promise.
func (p *Pool) Withdraw(depth int, left func() int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.promised -= depth
	p.leave(left)
}

// Share keeps room for a queue of receives that others may name, too; for all of them
// once. depth may change, and must take no lock under which the pool is called.
func (p *Pool) Share(queue any, depth func() int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shared == nil {
		p.shared = map[any]*sharedQueue{}
	}
	if p.shared[queue] == nil {
		p.shared[queue] = &sharedQueue{depth: depth}
	}
	p.shared[queue].users++
}

// Unshare ends a Share. left tells how many completions of the queue nobody has taken
// yet; for depth and left the same is true.
func (p *Pool) Unshare(queue any, left func() int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.shared[queue]; s != nil {
		s.users--
		s.left = left
	}
	p.forget()
}

// leave remembers a feeder that is gone. p.mu is held.
func (p *Pool) leave(left func() int) {
	p.left = append(p.left, left)
	p.forget()
}

// forget forgets feeders that are gone and whose completions have been taken. p.mu is held.
func (p *Pool) forget() {
	p.left = slices.DeleteFunc(p.left, func(f func() int) bool { return f() <= 0 })
	maps.DeleteFunc(p.shared, func(_ any, s *sharedQueue) bool { return s.users == 0 && s.left() <= 0 })
}

func without(list []*Share, s *Share) []*Share {
	return slices.DeleteFunc(list, func(x *Share) bool { return x == s })
}
