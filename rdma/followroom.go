package rdma

import (
	"sync"
	"sync/atomic"
	"time"
)

// roomInterval is the interval at which a follower looks at leaders whose dispatchers are full. It costs an idle process
// little, although the program may leave a dispatcher full for ever.
const roomInterval = 5 * time.Millisecond

// roomLooks are a follower's looks at leaders that could not be drained. A bind may be in the adapter's queue of such a
// leader already. Nobody tells the follower's consumer when the program has made room: it sleeps at another dispatcher.
type roomLooks struct {
	on     atomic.Bool // one is due
	mu     sync.Mutex
	closed bool
	timer  *time.Timer
	looks  sync.WaitGroup
}

// later has the leaders of q looked at after a while.
func (r *roomLooks) later(q *CompletionQueue) {
	if r.on.Load() || !r.on.CompareAndSwap(false, true) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.looks.Add(1)
	if r.timer == nil {
		r.timer = time.AfterFunc(roomInterval, func() {
			defer r.looks.Done()
			r.on.Store(false)
			q.pumpLeaders() // a bind that this finds wakes the consumer
		})
	} else {
		r.timer.Reset(roomInterval)
	}
}

// close waits for a look in progress; none follows.
func (r *roomLooks) close() {
	r.mu.Lock()
	r.closed = true
	if r.timer != nil && r.timer.Stop() {
		r.looks.Done()
	}
	r.mu.Unlock()
	r.looks.Wait()
}

// pumpLeaders drains the leaders of a follower, now as far as there is room, and the rest later.
func (q *CompletionQueue) pumpLeaders() {
	behind := false
	for _, l := range q.binds.leaders.list() {
		// Another goroutine that drains the leader may find no room, too.
		behind = !l.pump() || l.short() || behind
	}
	if behind {
		q.binds.room.later(q)
	}
}
