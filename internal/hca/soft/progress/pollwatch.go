package progress

import "sync/atomic"

// Pollable is a connection that the watch checks while a consumer polls it.
type Pollable interface {
	// PollWatch is the state that the watch checks.
	PollWatch() *PollState
	// Waits is called once in each round of the watch. It reports whether posted requests wait for the
	// consumer's next poll.
	Waits() bool
	// Arm makes sure that somebody notices the next event.
	Arm()
	// Steady tells the connection that a consumer has polled it since the last round.
	Steady()
	// Rearm tells the connection that nobody polls it any more.
	Rearm()
}

// PollState is what the watch checks.
type PollState struct {
	Polled  atomic.Bool // a consumer has polled since the watch's last round
	Watched atomic.Bool
}

// PollWatch makes a connection that embeds the state Pollable.
func (s *PollState) PollWatch() *PollState { return s }
