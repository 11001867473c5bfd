package soft

import (
	"cmp"
	"sync"
	"sync/atomic"
	"time"
)

// A peer that has begun many connections ends the first when it has begun the last.
// Here each beginning is on a goroutine of its own, and an end could overtake some of
// them, although what they need has long arrived. Programs that accept many take
// that for a fault of theirs. So an end waits for the beginnings that are due.

// beginning is an accepted request whose initiator is to begin.
type beginning struct {
	q    *qp
	conn any // a stream, or a socket of this host
	// begun: what the initiator has sent is being looked at. It is set before
	// that leaves the socket.
	begun atomic.Bool
	done  chan struct{} // closed when its outcome was told
}

// due tells whether the outcome is only a matter of this process.
func (b *beginning) due() bool { return b.begun.Load() || hasInput(b.conn) || b.begun.Load() }

// await returns when the initiator has sent something. The connection's deadline
// bounds it.
func (b *beginning) await() {
	awaitInput(b.conn, func() { b.begun.Store(true) })
}

// beginnings are those of an adapter.
type beginnings struct {
	bound time.Duration // of an end's wait; 0: dueTime
	mu    sync.Mutex
	all   map[*beginning]struct{}
}

func (s *beginnings) enter(q *qp, conn any) *beginning {
	b := &beginning{q: q, conn: conn, done: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[*beginning]struct{}{}
	}
	s.all[b] = struct{}{}
	return b
}

func (s *beginnings) leave(b *beginning) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, b)
	close(b.done)
}

// due are those that the end of a queue pair has to wait for. Its own is none: it has
// come to nothing, or has been told.
func (s *beginnings) due(end *qp) (all []*beginning) {
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
func (q *qp) report() {
	due := q.a.beginnings.due(q)
	if len(due) == 0 {
		q.reportNow()
		return
	}
	go func() { // whoever closes the queue pair waits for its last word
		over := time.NewTimer(cmp.Or(q.a.beginnings.bound, dueTime))
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
