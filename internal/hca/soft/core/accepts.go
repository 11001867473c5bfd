package core

import (
	"cmp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// A peer that has begun many connections ends the first when it has begun the last.
// Here each beginning is on a goroutine of its own, and an end could overtake some of
// them, although what they need has long arrived. Programs that accept many take
// that for a fault of theirs. So an end waits for the beginnings that are due.

// Accept is an accepted request whose initiator is to begin.
type Accept struct {
	q    *QP
	conn any // a stream, or a socket of this host
	// begun: what the initiator has sent is being looked at. It is set before
	// that leaves the socket.
	begun atomic.Bool
	done  chan struct{} // closed when its outcome was told
}

// due tells whether the outcome is only a matter of this process.
func (b *Accept) due() bool { return b.begun.Load() || progress.HasInput(b.conn) || b.begun.Load() }

// Await returns when the initiator has sent something. The connection's deadline
// bounds it.
func (b *Accept) Await() {
	progress.AwaitInput(b.conn, func() { b.begun.Store(true) })
}

// Accepts are those of an adapter.
type Accepts struct {
	bound time.Duration // of an end's wait; 0: dueTime
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

// due are those that the end of a queue pair has to wait for. Its own is none: it has
// come to nothing, or has been told.
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

// dueTime bounds that wait, should a peer have begun with less than a frame.
const dueTime = time.Second

// report tells the owner that the connection has ended, when the beginnings that
// are due have been told. All its entries are in the completion queues.
func (q *QP) report() {
	due := q.Adapter.Accepts.due(q)
	if len(due) == 0 {
		q.reportNow()
		return
	}
	go func() { // whoever closes the queue pair waits for its last word
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
	}()
}
