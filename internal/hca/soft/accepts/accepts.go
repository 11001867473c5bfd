package accepts

import (
	"cmp"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// An Accept is an accepted request whose initiator has yet to send its first frame.
type Accept struct {
	owner any // its queue pair
	conn  any // a stream, or a socket of this host
	holds Holder
	// begun: the initiator's first bytes are being handled. It is set before they leave the socket.
	begun atomic.Bool
	done  chan struct{} // closed when the outcome has been reported
}

// A Holder is a stream over another one, of whose bytes it may hold some.
type Holder interface {
	Conn() net.Conn       // the other one
	BeforeWaits(f func()) // Read calls f each time before it waits for bytes of the other one; nil: no more
}

// due reports whether the outcome depends only on this process.
func (b *Accept) due() bool { return b.begun.Load() || progress.HasInput(b.conn) || b.begun.Load() }

// Await returns when the initiator has sent something. The connection's deadline bounds it. Called once more, it tells
// that what came so far is less than a frame: until more comes, the outcome depends on the peer.
func (b *Accept) Await() {
	b.begun.Store(false)
	progress.AwaitInput(b.conn, func() { b.begun.Store(true) })
}

// Read is Await and a read of the stream. While a Holder waits for more, what it has taken is less than a frame.
func (b *Accept) Read(stream io.Reader, p []byte) (int, error) {
	if b.holds == nil {
		b.Await()
		return stream.Read(p)
	}
	b.holds.BeforeWaits(b.Await)
	defer b.holds.BeforeWaits(nil)
	b.begun.Store(true)
	return stream.Read(p)
}

// A Set is the pending accepts of an adapter.
type Set struct {
	Bound time.Duration // of Wait; 0: dueTime. Tests set it
	mu    sync.Mutex
	all   map[*Accept]struct{}
}

// Enter adds an accept.
func (s *Set) Enter(owner, conn any) *Accept {
	b := &Accept{owner: owner, conn: conn, done: make(chan struct{})}
	if h, ok := conn.(Holder); ok {
		b.holds, b.conn = h, h.Conn()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[*Accept]struct{}{}
	}
	s.all[b] = struct{}{}
	return b
}

// Leave removes an accept, whose outcome has been reported.
func (s *Set) Leave(b *Accept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, b)
	close(b.done)
}

// Due lists the accepts for which the end of a queue pair waits. Its own is not among them: that has failed, or
// has been reported.
func (s *Set) Due(end any) (all []*Accept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for b := range s.all {
		if b.owner != end && b.due() {
			all = append(all, b)
		}
	}
	return all
}

// Wait returns when these accepts have been reported, or after a bounded time.
func (s *Set) Wait(due []*Accept) {
	over := time.NewTimer(cmp.Or(s.Bound, dueTime))
	defer over.Stop()
	for _, b := range due {
		select {
		case <-b.done:
		case <-over.C:
			return
		}
	}
}

// dueTime bounds the wait, because a peer may have sent less than a frame.
const dueTime = time.Second
