package group

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca/soft/core"
)

// A Board is the doorbell that the connections with one process have in common beside their own. Its members have different
// queues, and only the adapter's poller hears it. A member uses it while many others are busy, too: then the poller is awake,
// looks at the flags, and wakes the consumers, and the peer need not make a system call for each.
type Board struct {
	roster
	a      *core.Adapter
	peer   Process
	sleeps atomic.Uint64 // of the consumers of all members
}

// arm lets the peer ring again. What came before is handled here. It reports whether there was something.
func (b *Board) arm() (found bool) {
	b.mu.Lock()
	if !b.closed {
		b.page.bell.Arm()
	}
	b.mu.Unlock()
	return b.look()
}

// A seat is the place of one connection at a board. The zero value has none.
type seat struct {
	board *Board // with slot, constant once the connection has joined: consumers may count sleeps beside the end
	slot  int
	of    *Groups
	left  bool // guarded by of.mu

	last atomic.Uint64 // sleeps of the board, at the last sleep of this consumer
	mean atomic.Int64  // how many sleeps there are from one of this consumer to its next, on average, times meanOne
}

const (
	meanOne    = 256
	meanWeight = 16  // of the latest number: one in this many
	meanMost   = 256 // the largest number that counts

	// crowd is how many sleeps from one of its own to the next make a consumer leave its doorbell to the board.
	crowd = 8
)

// Crowded counts a sleep of the connection's consumer, and reports whether so many others sleep and wake meanwhile that the
// consumer should leave the doorbell to the board.
func (m *Membership) Crowded() bool {
	s := &m.seat
	if s.board == nil {
		return false
	}
	now := s.board.sleeps.Add(1)
	between := uint64(0) // stays so if the consumer of the other queue has just been here
	if last := s.last.Load(); now > last && s.last.CompareAndSwap(last, now) {
		between = min(now-last, meanMost)
	}
	mean := s.mean.Load()
	s.mean.Store(mean + (int64(between)*meanOne-mean)/meanWeight)
	return m.InCrowd()
}

// InCrowd reports what Crowded has found last.
func (m *Membership) InCrowd() bool {
	return m.seat.board != nil && (everywhere.Load() || m.seat.mean.Load() > crowd*meanOne)
}

// everywhere lets each connection use the board. Only tests set it.
var everywhere atomic.Bool

// sit takes a seat at the board of the connections with a process; the zero value if none can be had.
func (s *Groups) sit(q *core.QP, peer Process, m Member) (board *Board, slot int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if peer.PID == 0 {
		return nil, 0
	}
	b := s.boards[peer]
	if b == nil {
		b = &Board{a: q.Adapter, peer: peer}
		if b.open(b.listen) != nil {
			return nil, 0
		}
		if s.boards == nil {
			s.boards = make(map[Process]*Board)
		}
		s.boards[peer] = b
	}
	slot, ok := b.enter(m)
	if !ok {
		return nil, 0
	}
	return b, slot
}

// leave gives the seat back. Nothing happens the second time.
func (s *seat) leave() {
	if s.board == nil {
		return
	}
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if !s.left && s.board.vacate(s.slot, s.board.unlisten) {
		delete(s.of.boards, s.board.peer)
	}
	s.left = true
}
