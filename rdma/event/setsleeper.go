package event

import "github.com/godapl/godapl/internal/wait"

// SetSleeper is [Sleeper] for a set. It has no descriptors: kick wakes the thread.
type SetSleeper struct {
	w    *setWaiter
	kick func()
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
	s.w = w
	if !block {
		return s.Again(true)
	}
	if !w.cell.Begin(w, wait.Options{}, &s.kick) {
		return nil, true, nil
	}
	m, err = s.end(true)
	return m, false, err
}

// Again checks once more; see [Sleeper.Again].
func (s *SetSleeper) Again(last bool) (m Member, asleep bool, err error) {
	if !last {
		if !s.w.cell.Again(s.w) {
			return nil, true, nil
		}
		m, err = s.end(true)
		return m, false, err
	}
	m, err = s.end(s.w.Look())
	return m, false, err
}

func (s *SetSleeper) end(ready bool) (Member, error) {
	w := s.w
	s.w = nil
	w.cell.End()
	got, err := w.s.retire(w)
	switch {
	case err != nil:
		return nil, err
	case ready && got != nil:
		return got.member, nil
	}
	return nil, &errSetTimeout
}
