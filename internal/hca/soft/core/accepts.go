package core

import (
	"cmp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// A peer that has connected many times may end the first connection right after it has made the last. On this
// side each accept completes on a goroutine of its own, and the report of the end could overtake some of them,
// although everything that they need has arrived. A program would take that for an error of its own. So the
// report of an end waits for the pending accepts.

// Accept is an accepted request whose initiator has yet to send its first frame.
type Accept struct {
	q    *QP
	conn any // a stream, or a socket of this host
	// begun: the initiator's first bytes are being handled. It is set before they leave the socket.
	begun atomic.Bool
	done  chan struct{} // closed when the outcome has been reported
}

// due reports whether the outcome depends only on this process.
func (b *Accept) due() bool { return b.begun.Load() || progress.HasInput(b.conn) || b.begun.Load() }

// Await returns when the initiator has sent something. The connection's deadline bounds it.
func (b *Accept) Await() {
	progress.AwaitInput(b.conn, func() { b.begun.Store(true) })
}

// Accepts are the pending accepts of an adapter.
type Accepts struct {
	bound time.Duration // of the wait; 0: dueTime
	mu    sync.Mutex
	all   map[*Accept]struct{}
}

func (s *Accepts) Enter(q *QP, conn any) *Accept {
	b := &Accept{q: q, conn: conn, done: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[*Accept]struct{}{}
	}
	s.all[b] = struct{}{}
	return b
}

func (s *Accepts) Leave(b *Accept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, b)
	close(b.done)
}

// due lists the accepts for which the end of a queue pair waits. Its own is not among them: that has failed, or
// has been reported.
func (s *Accepts) due(end *QP) (all []*Accept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for b := range s.all {
		if b.q != end && b.due() {
			all = append(all, b)
		}
	}
	return all
}

// dueTime bounds the wait, because a peer may have sent less than a frame.
const dueTime = time.Second

// report tells the owner that the connection has ended, once the pending accepts have been reported. All its
// entries are in the completion queues.
func (q *QP) report() {
	due := q.Adapter.Accepts.due(q)
	if len(due) == 0 {
		q.reportNow()
		return
	}
	go hca.Labeled(q.Adapter.Attrs.Name, "report", func() { // Close of the queue pair waits for the report
		over := time.NewTimer(cmp.Or(q.Adapter.Accepts.bound, dueTime))
		defer over.Stop()
	wait:
		for _, b := range due {
			select {
			case <-b.done:
			case <-over.C:
				break wait
			}
		}
		q.reportNow()
	})()
}
