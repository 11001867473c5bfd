package progress

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// Background is what runs on an adapter's own goroutines: the poller, the poll watch, handshakes, and
// connections that are closing.
type Background struct {
	Adapter string // its name
	Poller  Poller
	Rounds  *Counters
	wg      sync.WaitGroup

	once   sync.Once
	done   context.Context // ends when the adapter closes
	cancel context.CancelFunc

	mu       sync.Mutex
	watching []Pollable
	running  bool
	closed   bool
}

const watchEvery = time.Millisecond

// watchLinger is the number of rounds for which the watch goes on with nothing to watch. A consumer that polls
// and sleeps in turn would otherwise start a goroutine in each millisecond.
const watchLinger = 64

// Context ends when the adapter closes.
func (n *Background) Context() context.Context {
	n.once.Do(func() {
		n.done, n.cancel = context.WithCancel(context.Background())
	})
	return n.done
}

// Go runs a goroutine for which Close waits. role is what it is for, in profiles.
func (n *Background) Go(role string, f func()) { n.wg.Go(hca.Labeled(n.Adapter, role, f)) }

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
		n.Go("watch", n.watchLoop)
	}
}

// Unparked takes a connection back from a consumer that has slept at it. A consumer that is awake will probably be back
// soon, so the connection is watched, as after a poll. If another one sleeps, somebody must notice the next event.
func (n *Background) Unparked(c Pollable, sleeps bool) {
	c.PollWatch().Polled.Store(!sleeps)
	if sleeps {
		c.Arm()
	} else {
		n.Watch(c)
	}
}

func (n *Background) Unwatch(c Pollable) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i, x := range n.watching {
		if x == c {
			n.watching = slices.Delete(n.watching, i, i+1)
			return
		}
	}
}

// Round is the number of the watch's round. It is for what the watch calls: a Pollable may be called several times
// in a round, if it is part of others.
func (n *Background) Round() uint64 { return n.Rounds.looks.Load() }

func (n *Background) watchLoop() {
	t := time.NewTicker(watchEvery)
	defer t.Stop()
	var left []Pollable
	empty := 0 // rounds in a row
	closes := n.Context().Done()
	for {
		select {
		case <-t.C:
		case <-closes: // Close waits for the last round, and need not wait for its time
		}
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
		clear(n.watching[len(keep):]) // a connection that has ended is garbage
		n.watching = keep
		if empty++; len(keep) > 0 || len(left) > 0 {
			empty = 0
		}
		done := empty > watchLinger || n.closed
		if done {
			n.running = false
		}
		n.mu.Unlock()
		for _, c := range left {
			c.PollWatch().Watched.Store(false)
			c.Rearm()
		}
		clear(left)
		if done {
			return
		}
	}
}

func (n *Background) Close() {
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	n.Context()
	n.cancel()
	n.wg.Wait()
	n.Poller.Close()
}
