package verbs

import (
	"sync"
	"sync/atomic"
	"time"
)

// watchTime is how long requests may be under way before the watcher checks them for a
// consumer that does not poll.
const watchTime = 20 * time.Millisecond

// watcher polls completion queues that the consumer does not poll while requests are
// under way: a failed request breaks its connection, and the consumer must learn that
// from the connection's event, too. It runs only while there are requests, so idle
// connections cost nothing.
type watcher struct {
	ad     *adapter
	on     atomic.Bool // a look is due
	mu     sync.Mutex
	closed bool
	timer  *time.Timer
	looks  sync.WaitGroup
	room   []*qp // for the next look; guarded by the adapter's mu
}

// posted makes sure that a look is due.
func (w *watcher) posted() {
	if !w.on.Load() && w.on.CompareAndSwap(false, true) {
		w.again()
	}
}

func (w *watcher) again() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.looks.Add(1)
	if w.timer == nil {
		w.timer = time.AfterFunc(watchTime, w.look)
	} else {
		w.timer.Reset(watchTime)
	}
}

// look drives the queues that were not polled since the last look.
func (w *watcher) look() {
	defer w.looks.Done()
	w.on.Store(false) // posts from here on want another look
	a := w.ad
	a.mu.Lock()
	// Another round may begin before this one has ended: detach the slice.
	seen := w.room[:0]
	w.room = nil
	for q := range a.all {
		if !q.sendDone() {
			seen = append(seen, q)
		}
	}
	a.mu.Unlock()
	for _, q := range seen {
		if !q.scq.watched.Swap(false) {
			q.scq.drive()
		}
	}
	busy := len(seen) > 0
	clear(seen)
	a.mu.Lock()
	w.room = seen
	a.mu.Unlock()
	if busy {
		w.posted()
	}
}

// close waits for a look that is under way; none comes afterwards.
func (w *watcher) close() {
	w.mu.Lock()
	w.closed = true
	if w.timer != nil && w.timer.Stop() {
		w.looks.Done()
	}
	w.mu.Unlock()
	w.looks.Wait()
}
