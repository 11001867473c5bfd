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
// in progress: a failed request breaks its connection, and that must cause the
// connection's event although the consumer does not poll. It runs only while there
// are requests, so idle connections cost nothing.
type watcher struct {
	ad     *adapter
	on     atomic.Bool // a check is scheduled
	mu     sync.Mutex
	closed bool
	timer  *time.Timer
	looks  sync.WaitGroup
	room   []*qp // for the next check; guarded by the adapter's mu
}

// posted makes sure that a check is scheduled.
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
		w.timer = time.AfterFunc(watchTime, w.check)
	} else {
		w.timer.Reset(watchTime)
	}
}

// check polls the queues that the consumer has not polled since the last check.
func (w *watcher) check() {
	defer w.looks.Done()
	w.on.Store(false) // later posts schedule another check
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

// close waits for a check in progress; none follows.
func (w *watcher) close() {
	w.mu.Lock()
	w.closed = true
	if w.timer != nil && w.timer.Stop() {
		w.looks.Done()
	}
	w.mu.Unlock()
	w.looks.Wait()
}
