package soft

import "sync/atomic"

// pollable is a connection that the watch looks after while a consumer polls it.
type pollable interface {
	polling() *pollState
	// waits tells the watch, once a round, whether posted requests wait for a look
	// of the consumer's.
	waits() bool
	// arm sees to it that somebody notices what comes next.
	arm()
	// steady is the watch's word that somebody has polled for a while.
	steady()
	// rearm is its word that nobody polls any more.
	rearm()
}

// pollState is what the watch looks at.
type pollState struct {
	polled  atomic.Bool // somebody has polled since the watch last looked
	watched atomic.Bool
}

func (s *pollState) polling() *pollState { return s }
