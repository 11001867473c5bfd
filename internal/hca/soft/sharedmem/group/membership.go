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

	place  *place
	ringer *ringer  // nil: the connection has a doorbell of its own there
	flag   shm.Flag // in the peer's group
}

// Join takes a place among the connections with the peer's process. It returns descriptors for the peer, if that is in a group.
func (m *Membership) Join(s *Groups, q *core.QP, peer Process, member Member) (fds []int) {
	m.place, m.Grouped, fds = s.enter(q, peer, member)
	return fds
}

// Here returns the number of the connection's group, and its slot there; 0 if it is in none.
func (m *Membership) Here() (number uint64, slot uint32) {
	if !m.Grouped {
		return 0, 0
	}
	return m.place.group.number, uint32(m.place.slot)
}

var errSlot = errors.New("the peer names a place that no group has")

// Meet takes over the descriptors of the peer's group. The number is 0 if the connection is in none. own is the descriptor of
// its doorbell there, which is then of no use: Meet closes it.
func (m *Membership) Meet(s *Ringers, peer Process, number uint64, slot uint32, fds []int, own *int) (err error) {
	if number == 0 {
		return nil
	}
	if m.ringer, err = s.open(peerGroup{Process: peer, Number: number}, fds[0], fds[1]); err != nil {
		return err
	}
	var ok bool
	if m.flag, ok = m.ringer.flag(slot); !ok {
		return errSlot
	}
	shm.CloseFD(*own)
	*own = -1
	return nil
}

// Ring wakes the peer's group if it sleeps. It returns false if the peer has none for the connection.
func (m *Membership) Ring() bool {
	if m.ringer == nil {
		return false
	}
	m.ringer.ring(m.flag)
	return true
}

// Leave undoes Join and Meet. Nobody rings any more. Nothing happens the second time.
func (m *Membership) Leave() {
	if m.place != nil {
		m.place.leave()
		m.place = nil
	}
	if m.ringer != nil {
		m.ringer.close()
		m.ringer = nil
	}
}
