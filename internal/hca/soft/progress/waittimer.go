package progress

import "time"

// A WaitTimer is a wait for the peer or the program: a message waits for a receive, or a request waits until
// the peer is identified. The gate of the waiting half guards it.
type WaitTimer struct {
	On       bool
	deadline time.Time
	timer    *time.Timer
}

// An Alarm is scheduled when a wait has lasted its time: a connection, or a queue pair. A WaitTimer always gets
// the same one.
type Alarm interface{ Schedule() }

// Begin starts the wait, unless it has started already, and schedules a at its deadline. It reports whether
// time is left. A waiting half calls it in each run, so only its first wait allocates.
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
