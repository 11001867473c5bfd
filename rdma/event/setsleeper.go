package event

import (
	"slices"

	"github.com/godapl/godapl/internal/wait"
)

// SetSleeper is [Sleeper] for a set. The thread watches the descriptors of all members, if they are few.
type SetSleeper struct {
	w    *setWaiter
	kick func()
	fds  []int32

	held, spare []Member // whose descriptors it watches, and the slice that held them last
	looked      bool     // arming has looked at them
}

// NewSetSleeper creates a sleeper; see NewSleeper for kick.
func NewSetSleeper(kick func()) *SetSleeper {
	mustHave("NewSetSleeper", kick != nil)
	return &SetSleeper{kick: kick}
}

// Begin begins what [Set.WaitTriggerTimeout] does; see [Sleeper.Begin].
func (s *SetSleeper) Begin(set *Set, block bool) (m Member, asleep bool, err error) {
	w := set.waiter()
	w.all = true
	s.w, s.fds = w, s.fds[:0]
	if !block {
		set.elsewhere()
		return s.Again(true)
	}
	if !w.cell.Begin((*outsideSet)(s), wait.Options{}, &s.kick) {
		return nil, true, nil
	}
	m, err = s.end(true)
	return m, false, err
}

// Again checks once more; see [Sleeper.Again].
func (s *SetSleeper) Again(last bool) (m Member, asleep bool, err error) {
	if !last {
		if !s.w.cell.Again((*outsideSet)(s)) {
			return nil, true, nil
		}
		m, err = s.end(true)
		return m, false, err
	}
	m, err = s.end((*outsideSet)(s).Look())
	return m, false, err
}

// Descriptors are those of [Sleeper.Descriptors].
func (s *SetSleeper) Descriptors() []int32 { return s.fds }

func (s *SetSleeper) end(ready bool) (Member, error) {
	w := s.w
	s.w = nil
	w.cell.End()
	got := w.got
	s.leave(w, got)
	_, err := w.s.retire(w)
	switch {
	case err != nil:
		return nil, err
	case ready && got != nil:
		return got.member, nil
	}
	return nil, &errSetTimeout
}

// leave gives the descriptors back. The caller polls the member that is ready, which arms it. The others are armed here.
func (s *SetSleeper) leave(w *setWaiter, ready *node) {
	if len(s.held) == 0 {
		return
	}
	alone := w.s.lonely(w)
	for _, m := range s.held {
		m.disarmDescriptors(s, alone)
	}
	still := alone && w.s.lonely(w) // another may have come meanwhile
	for _, m := range s.held {
		if alone != still {
			m.armForSet() // it may have left the set, and somebody may wait for it
		}
		if alone != still || ready == nil || m != ready.member {
			m.watch()
		}
	}
	clear(s.held)
	s.held = s.held[:0]
}

// outsideSet is the sleeper's side that the wait loop calls.
type outsideSet SetSleeper

var _ wait.Waitable = (*outsideSet)(nil)

// Look implements wait.Waitable. What has woken the thread is still in the sources.
func (s *outsideSet) Look() bool {
	if !s.looked {
		for _, m := range s.held {
			m.pull()
		}
	}
	s.looked = false
	return s.w.Look()
}

// Arm implements wait.Waitable.
func (s *outsideSet) Arm() {
	s.w.Arm()
	s.w.changes = s.w.s.parks.changes.Load()
	now := s.w.s.few(s.spare[:0])
	for _, m := range s.held {
		if !slices.Contains(now, m) {
			m.disarmDescriptors((*SetSleeper)(s), false)
		}
	}
	clear(s.held)
	s.held, s.spare = now, s.held[:0]
	s.fds = s.fds[:0]
	for _, m := range s.held {
		m.enterOutside((*SetSleeper)(s), &s.fds)
	}
	s.looked = true
}

// few appends the members to list, unless they are many.
func (s *Set) few(list []Member) []Member {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.members) <= fewMembers {
		for n := range s.members {
			list = append(list, n.member)
		}
	}
	return list
}

// The dispatcher's side.

// enterOutside arms the sources for a sleeper of the set, unless somebody waits for the dispatcher itself.
func (d *Dispatcher[T]) enterOutside(s *SetSleeper, fds *[]int32) {
	if d.gate.Load()&gateSources == 0 {
		return
	}
	d.drainLock.Lock()
	if d.inSet() {
		d.filled(d.armOutside(s, fds))
	} else {
		d.giveBack(s, false) // somebody waits for the dispatcher itself: the thread no longer watches
	}
	d.release()
}

// pull moves what the sources hold to the queue, which updates the set.
func (d *Dispatcher[T]) pull() {
	if d.gate.Load()&gateSources != 0 {
		d.pump()
	}
}
