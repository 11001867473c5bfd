package group

import (
	"sync"

	"github.com/godapl/godapl/internal/hca/soft/core"
)

// alone is how many connections with the same queues and the same peer have doorbells of their own. With a group there
// are not more in the list of a queue than its consumer polls each time. Only tests change it.
var alone = 3

// Groups are those of an adapter.
type Groups struct {
	mu     sync.Mutex
	kins   map[kin]*kinship
	boards map[Process]*Board // of those who are not in a group
}

// A kin is what the connections of a group have in common.
type kin struct {
	send, recv *core.CQ
	peer       Process
}

type kinship struct {
	alone int
	group *Group // nil if there is none
}

// A place is that of one connection among its kin.
type place struct {
	of    *Groups
	kin   kin
	group *Group // nil: the connection has a doorbell of its own
	slot  int
}

// enter counts a connection of a queue pair with a process, and makes it a member of a group if it is not one of the
// first, and if a group can be had. fds are then for the peer's [Ringers]. A process of a namespace that is not seen here
// has the number 0, as others there may have: nobody else's descriptors are for it.
func (s *Groups) enter(q *core.QP, peer Process, m Member) (p *place, grouped bool, fds []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p = &place{of: s, kin: kin{q.SendCQ, q.RecvCQ, peer}}
	k := s.kins[p.kin]
	if k == nil {
		k = new(kinship)
		if s.kins == nil {
			s.kins = make(map[kin]*kinship)
		}
		s.kins[p.kin] = k
	}
	if k.alone >= alone && k.group == nil && peer.PID != 0 {
		k.group, _ = open(q) // without one, the doorbell of its own does
	}
	if g := k.group; g != nil {
		if slot, ok := g.enter(m); ok {
			p.group, p.slot = g, slot
			return p, true, g.fds()
		}
	}
	k.alone++
	return p, false, nil
}

// leave ends it.
func (p *place) leave() {
	s := p.of
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.kins[p.kin]
	switch {
	case p.group == nil:
		k.alone--
	case p.group.leave(p.slot):
		k.group = nil
	}
	if k.alone == 0 && k.group == nil {
		delete(s.kins, p.kin)
	}
}

// open makes a group for connections with the queues of q.
func open(q *core.QP) (*Group, error) {
	g := &Group{q: q, a: q.Adapter}
	if err := g.roster.open(g.listen); err != nil {
		return nil, err
	}
	q.SendCQ.AddConn(g)
	if q.RecvCQ != q.SendCQ {
		q.RecvCQ.AddConn(g)
	}
	return g, nil
}
