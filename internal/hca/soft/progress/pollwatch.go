package progress

import "sync/atomic"

// Pollable is a connection that the watch looks after while a consumer polls it.
type Pollable interface {
	polling() *PollState
	// Waits tells the watch, once a round, whether posted requests wait for a look
	// of the consumer's.
	Waits() bool
	// Arm sees to it that somebody notices what comes next.
	Arm()
	// Steady is the watch's word that somebody has polled for a while.
	Steady()
	// Rearm is its word that nobody polls any more.
	Rearm()
}

// PollState is what the watch looks at.
type PollState struct {
	Polled  atomic.Bool // somebody has polled since the watch last looked
	Watched atomic.Bool
}

func (s *PollState) polling() *PollState { return s }
