package event

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/wait"
)

// A goroutine that waits for a set parks for all members together, if they are few: the parker of one member is the
// host, and serves the others, too.

// setParks are the parkers of the members.
type setParks struct {
	list    atomic.Pointer[[]wait.Joint] // nil: not known
	changes atomic.Uint64                // counts the calls of forget
	// parted: a waiter has parted alone, and nobody has slept elsewhere since. Written under the set's mu.
	parted atomic.Bool
}

// fewMembers bounds the parkers of a set whose waiter parks: each sleep costs some time for each of them.
const fewMembers = 8

// forget is called whenever a member, or the parker of one, comes or goes.
func (p *setParks) forget() {
	p.changes.Add(1)
	p.list.Store(nil)
}

// joints returns the parkers of the members.
func (s *Set) joints() []wait.Joint {
	if p := s.parks.list.Load(); p != nil {
		return *p
	}
	before := s.parks.changes.Load()
	var members []Member
	s.mu.Lock()
	for n := range s.members {
		members = append(members, n.member)
	}
	s.mu.Unlock()
	var list []wait.Joint
	for _, m := range members {
		if j := m.joint(); j != nil {
			list = append(list, j)
		}
	}
	s.parks.list.Store(&list)
	if s.parks.changes.Load() != before {
		s.parks.list.Store(nil)
	}
	return list
}

// grown tells the parkers of a set that is no longer small that nobody parks there: a waiter of this set, or of the one
// in which the new member was before, may have said that it will be back.
func (s *Set) grown(added Member) {
	switch n := s.Len(); {
	case n == fewMembers+1:
		for _, j := range s.joints() {
			j.Elsewhere()
		}
	case n > fewMembers:
		if j := added.joint(); j != nil {
			j.Elsewhere()
		}
	}
}

type jointParker interface{ wait.Joint }

// joint returns the parker of the dispatcher's source; nil if there is none.
func (d *Dispatcher[T]) joint() jointParker {
	d.mu.Lock()
	defer d.mu.Unlock()
	j, _ := d.parker.(wait.Joint)
	return j
}

// AcquirePark implements wait.Parker: the first member that can be the host is.
func (w *setWaiter) AcquirePark() bool {
	w.changes = w.s.parks.changes.Load()
	list := w.s.joints()
	if len(list) > fewMembers {
		return false
	}
	for i, host := range list {
		if !host.AcquirePark() {
			continue
		}
		w.host, w.parked, w.partly = host, list, false
		for k, j := range list {
			if k != i && !host.Gather(j) {
				w.partly = true
			}
		}
		return true
	}
	return false
}

// Park implements wait.Parker.
func (w *setWaiter) Park(again func() bool) bool { return w.host.Park(again) }

// Kicker implements wait.Parker.
func (w *setWaiter) Kicker() *func() { return w.host.Kicker() }

// ReleasePark implements wait.Parker.
func (w *setWaiter) ReleasePark() {
	s, host, list := w.s, w.host, w.parked
	w.host, w.parked = nil, nil
	s.mu.Lock()
	alone := s.alone(w)
	s.parks.parted.Store(alone)
	s.mu.Unlock()
	host.Part(alone)
	if alone {
		// Another sleeper may have come meanwhile, or a member left, and have told the host before that parted.
		if !s.lonely(w) {
			s.parks.parted.Store(false)
			for _, j := range list {
				j.Elsewhere()
			}
		}
	}
}

// alone reports whether nobody but w is to be told of events of the members, and these are the ones where w has parked:
// somebody may wait for one that has left. The caller holds mu.
func (s *Set) alone(w *setWaiter) bool {
	if w.changes != s.parks.changes.Load() {
		return false
	}
	others := s.waiters.first != nil && (s.waiters.first != w || s.waiters.last != w)
	for n := range s.members {
		others = others || n.direct.Load()
	}
	return !others && len(s.counters) == 0 && s.notify == nil && s.poll == nil
}

// lonely is alone for a caller that does not hold mu.
func (s *Set) lonely(w *setWaiter) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.alone(w)
}

// elsewhere says that somebody sleeps for the set who does not park. The caller does not hold mu.
func (s *Set) elsewhere() {
	if s.parks.parted.Load() {
		s.tellElsewhere()
	}
}

func (s *Set) tellElsewhere() {
	s.parks.parted.Store(false)
	for _, j := range s.joints() {
		j.Elsewhere()
	}
}
