package soft

import (
	"context"
	"sync"
	"time"
)

// background is what an adapter has under way on goroutines of its own: the poller, the
// watch, start-ups, and connections on their last moments.
type background struct {
	poller poller
	rounds *rounds
	wg     sync.WaitGroup

	once   sync.Once
	done   context.Context // ends when the adapter closes
	cancel context.CancelFunc

	mu       sync.Mutex
	watching []pollable
	running  bool
	closed   bool
}

const watchEvery = time.Millisecond

// ctx ends when the adapter closes.
func (n *background) ctx() context.Context {
	n.once.Do(func() {
		n.done, n.cancel = context.WithCancel(context.Background())
	})
	return n.done
}

// start runs a goroutine that the adapter's end waits for.
func (n *background) start(f func()) { n.wg.Go(f) }

// watch looks after a connection that a consumer polls: when it has not been
// polled for a while, progress is the poller's again.
func (n *background) watch(c pollable) {
	if w := &c.polling().watched; w.Load() || !w.CompareAndSwap(false, true) {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return
	}
	n.watching = append(n.watching, c)
	if !n.running {
		n.running = true
		n.wg.Go(n.watchLoop)
	}
}

// Halt keeps the watch from looking at connections, for tests of what happens without it.
func (n *background) Halt() {
	n.mu.Lock()
	n.running = true
	n.mu.Unlock()
}

func (n *background) unwatch(c pollable) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i, x := range n.watching {
		if x == c {
			n.watching = append(n.watching[:i], n.watching[i+1:]...)
			return
		}
	}
}

func (n *background) watchLoop() {
	t := time.NewTicker(watchEvery)
	defer t.Stop()
	var left []pollable
	for range t.C {
		n.rounds.looks.Add(1)
		left = left[:0]
		n.mu.Lock()
		keep := n.watching[:0]
		for _, c := range n.watching {
			waits := c.waits()
			switch polled := c.polling().polled.Swap(false); {
			case polled || waits:
				keep = append(keep, c)
				if polled {
					c.steady()
				} else {
					c.arm()
				}
			default:
				left = append(left, c)
			}
		}
		n.watching = keep
		done := len(keep) == 0 || n.closed
		if done {
			n.running = false
		}
		n.mu.Unlock()
		for _, c := range left {
			c.polling().watched.Store(false)
			c.rearm()
		}
		if done {
			return
		}
	}
}

func (n *background) close() {
	n.ctx()
	n.cancel()
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	n.wg.Wait()
	n.poller.close()
}
