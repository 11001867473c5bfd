package group

import (
	"errors"

	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/shm"
)

// A Membership is what a connection has to do with groups, on both sides. The zero value has nothing. Both kinds of doorbells
// begin as the connection's own: see Join and Meet.
type Membership struct {
	// Grouped says that the connection is in a group of this side, and has no doorbell of its own here. It is constant
	// once the connection is established.
	Grouped bool

	place *place
	seat  seat // at a board, if it is in no group
	group bell // of the peer's group; the zero value if the connection has a doorbell of its own there
	board bell // of the peer's board
}

// Join takes a place among the connections with the peer's process. It returns descriptors for the peer, if the connection is in a
// group or has a seat at a board.
func (m *Membership) Join(s *Groups, q *core.QP, peer Process, member Member) (fds []int) {
	if m.place, m.Grouped, fds = s.enter(q, peer, member); m.Grouped {
		return fds
	}
	m.seat.of = s
	if m.seat.board, m.seat.slot = s.sit(q, peer, member); m.seat.board != nil {
		m.seat.last.Store(m.seat.board.sleeps.Load()) // what others did before does not count
		return m.seat.board.fds()
	}
	return nil
}

// Here returns the number of the connection's group or board, and its slot there; 0 if it is in none. own says that it has a
// doorbell of its own, too.
func (m *Membership) Here() (number uint64, slot uint32, own bool) {
	switch {
	case m.Grouped:
		return m.place.group.number, uint32(m.place.slot), false
	case m.seat.board != nil:
		return m.seat.board.number, uint32(m.seat.slot), true
	}
	return 0, 0, true
}

// There is where the connection is on the peer's side: see Here.
type There struct {
	Process Process
	Number  uint64
	Slot    uint32
	Own     bool
}

var errSlot = errors.New("the peer names a place that no group has")

// Meet takes over the descriptors of the peer's group or board, if the connection is in one. own is the descriptor of its doorbell
// there, which is of no use if the connection is in a group: Meet closes it.
func (m *Membership) Meet(s *Ringers, peer There, fds []int, own *int) (err error) {
	if peer.Number == 0 {
		return nil
	}
	r, err := s.open(peerGroup{Process: peer.Process, Number: peer.Number}, fds[0], fds[1])
	if err != nil {
		return err
	}
	flag, ok := r.flag(peer.Slot)
	if peer.Own {
		m.board = bell{r, flag}
	} else {
		m.group = bell{r, flag}
	}
	if !ok {
		return errSlot
	}
	if !peer.Own {
		shm.CloseFD(*own)
		*own = -1
	}
	return nil
}

// Ring wakes the peer's group if it sleeps. It returns false if the peer has none for the connection.
func (m *Membership) Ring() bool { return m.group.ring() }

// RingBoard is Ring for the peer's board.
func (m *Membership) RingBoard() bool { return m.board.ring() }

// Leave undoes Join and Meet. Nobody rings any more. Nothing happens the second time.
func (m *Membership) Leave() {
	if m.place != nil {
		m.place.leave()
		m.place = nil
	}
	m.seat.leave()
	m.group.close()
	m.board.close()
}
