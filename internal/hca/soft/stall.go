package soft

import "time"

// A stall is a message that waits for the peer to post a receive. It is
// guarded by the gate of the side that is stalled.
type stall struct {
	on       bool
	deadline time.Time
	timer    *time.Timer
}

// begin notes the wait's deadline, and has wake called then, unless it is
// noted already. It reports whether time is left.
func (s *stall) begin(wait time.Duration, wake func()) bool {
	if wait <= 0 {
		return false
	}
	if !s.on {
		s.on = true
		s.deadline = time.Now().Add(wait)
		if s.timer == nil {
			s.timer = time.AfterFunc(wait, wake)
		} else {
			s.timer.Reset(wait)
		}
		return true
	}
	return time.Now().Before(s.deadline)
}

// clear ends the wait.
func (s *stall) clear() {
	if s.on {
		s.on = false
		s.timer.Stop()
	}
}
