package progress

import (
	"context"
	"sync"
	"time"
)

// Background is what runs on an adapter's own goroutines: the poller, the poll watch, handshakes, and
// connections that are closing.
type Background struct {
	Poller Poller
	Rounds *Counters
	wg     sync.WaitGroup

	once   sync.Once
	done   context.Context // ends when the adapter closes
	cancel context.CancelFunc

	mu       sync.Mutex
	watching []Pollable
	running  bool
	closed   bool
}

const watchEvery = time.Millisecond

// Context ends when the adapter closes.
func (n *Background) Context() context.Context {
	n.once.Do(func() {
		n.done, n.cancel = context.WithCancel(context.Background())
	})
	return n.done
}

// Go runs a goroutine for which Close waits.
func (n *Background) Go(f func()) { n.wg.Go(f) }

// Watch watches a connection that a consumer polls: when it has not been polled for a while, it goes back to
// the poller.
func (n *Background) Watch(c Pollable) {
	if w := &c.PollWatch().Watched; w.Load() || !w.CompareAndSwap(false, true) {
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

// Halt stops the watch, for tests without it.
func (n *Background) Halt() {
	n.mu.Lock()
	n.running = true
	n.mu.Unlock()
}

func (n *Background) Unwatch(c Pollable) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i, x := range n.watching {
		if x == c {
			n.watching = append(n.watching[:i], n.watching[i+1:]...)
			return
		}
	}
}

func (n *Background) watchLoop() {
	t := time.NewTicker(watchEvery)
	defer t.Stop()
	var left []Pollable
	for range t.C {
		n.Rounds.looks.Add(1)
		left = left[:0]
		n.mu.Lock()
		keep := n.watching[:0]
		for _, c := range n.watching {
			waits := c.Waits()
			switch polled := c.PollWatch().Polled.Swap(false); {
			case polled || waits:
				keep = append(keep, c)
				if polled {
					c.Steady()
				} else {
					c.Arm()
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
			c.PollWatch().Watched.Store(false)
			c.Rearm()
		}
		if done {
			return
		}
	}
}

func (n *Background) Close() {
	n.Context()
	n.cancel()
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	n.wg.Wait()
	n.Poller.Close()
}
