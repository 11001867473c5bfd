package soft

import "time"

// A stall is a wait for the peer: a message that waits for it to post a
// receive, or a request that waits to learn who it is. It is guarded by the
// gate of the side that is stalled.
type stall struct {
	on       bool
	deadline time.Time
	timer    *time.Timer
}

// An alarm is scheduled when a stall has lasted its time: a connection, or a
// queue pair. It is the same one each time.
type alarm interface{ schedule() }

// begin notes the wait's deadline, and has a scheduled then, unless it is noted
// already. It reports whether time is left. Stalled sides come here each time
// they are run, so only the first stall of a side allocates.
func (s *stall) begin(wait time.Duration, a alarm) bool {
	if wait <= 0 {
		return false
	}
	if !s.on {
		s.on = true
		s.deadline = time.Now().Add(wait)
		if s.timer == nil {
			s.timer = time.AfterFunc(wait, a.schedule)
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
