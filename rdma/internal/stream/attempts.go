package stream

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// slowTime is how long a connection has to be established even if its place is wanted. A peer's adapter needs a
// round trip for it, without its program.
const slowTime = 500 * time.Millisecond

// attempts are the connections that a listener has begun and that are not established, oldest first.
type attempts struct {
	mu  sync.Mutex
	all list.List // of *attempt
}

type attempt struct {
	cancel context.CancelFunc
	begun  time.Time
}

// add begins an attempt, which lasts until end is called. giveUp ends the context.
func (a *attempts) add(parent context.Context) (ctx context.Context, end func()) {
	ctx, cancel := context.WithCancel(parent)
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.all.PushBack(&attempt{cancel, time.Now()})
	return ctx, func() {
		cancel()
		a.mu.Lock()
		defer a.mu.Unlock()
		a.all.Remove(e)
	}
}

// giveUp ends the oldest attempt, if it is slow, and tells when to look for another.
func (a *attempts) giveUp() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.all.Front()
	if e == nil {
		return slowTime
	}
	oldest := e.Value.(*attempt)
	if left := slowTime - time.Since(oldest.begun); left > 0 {
		return left
	}
	oldest.cancel()
	a.all.Remove(e)
	return slowTime
}
