package stream

import "time"

// SetDeadline changes the deadline of a side, also of a call that waits. The zero time is no
// deadline.
func (s *Sides[E]) SetDeadline(side *Side, t time.Time) {
	if side.timer != nil {
		side.timer.Stop()
	}
	side.deadline, side.Expired = t, false
	if t.IsZero() {
		return
	}
	d := time.Until(t)
	switch {
	case d <= 0:
		side.Expired = true
		s.Wake(side)
	case side.timer == nil:
		side.timer = time.AfterFunc(d, func() { s.expire(side) })
	default:
		side.timer.Reset(d)
	}
}

// StopTimers ends the deadlines.
func (s *Sides[E]) StopTimers() {
	for _, side := range [...]*Side{&s.In, &s.Out} {
		if side.timer != nil {
			side.timer.Stop()
		}
	}
}

// expire is the timer's function. The deadline may have moved meanwhile.
func (s *Sides[E]) expire(side *Side) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if side.deadline.IsZero() || side.Expired {
		return
	}
	if d := time.Until(side.deadline); d > 0 {
		side.timer.Reset(d)
		return
	}
	side.Expired = true
	s.Wake(side)
}
