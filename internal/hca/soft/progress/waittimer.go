package progress

import "time"

// A WaitTimer is a wait for the peer: a message that waits for it to post a
// receive, or a request that waits to learn who it is. It is guarded by the
// gate of the side that is stalled.
type WaitTimer struct {
	On       bool
	deadline time.Time
	timer    *time.Timer
}

// An Alarm is scheduled when a stall has lasted its time: a connection, or a
// queue pair. It is the same one each time.
type Alarm interface{ Schedule() }

// Begin notes the wait's deadline, and has a scheduled then, unless it is noted
// already. It reports whether time is left. Stalled sides come here each time
// they are run, so only the first stall of a side allocates.
func (s *WaitTimer) Begin(wait time.Duration, a Alarm) bool {
	if wait <= 0 {
		return false
	}
	if !s.On {
		s.On = true
		s.deadline = time.Now().Add(wait)
		if s.timer == nil {
			s.timer = time.AfterFunc(wait, a.Schedule)
		} else {
			s.timer.Reset(wait)
		}
		return true
	}
	return time.Now().Before(s.deadline)
}

// Clear ends the wait.
func (s *WaitTimer) Clear() {
	if s.On {
		s.On = false
		s.timer.Stop()
	}
}
