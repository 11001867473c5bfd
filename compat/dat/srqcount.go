package dat

import (
	"maps"
	"slices"
)

// counts are the receives that are left, and those that the program has posted and not got back. The native queue
// counts a completion until it is an event of a dispatcher, and uDAPL until the program has taken the event. A queue
// whose program has not taken its events may have had more receives posted than it is said to have room for.
func (s *srq) counts() (available, outstanding int) {
	available, outstanding = s.q.Counts()
	for _, d := range s.ia.completionEVDs() {
		for _, r := range feed(d.d).Queued() {
			if r.received(s) {
				outstanding++
			}
		}
	}
	return available, min(outstanding, s.q.Depth())
}

// received reports that the event is of a receive of that queue.
func (r *record) received(s *srq) bool {
	switch r.number {
	case DTOCompletionEvent, IBDTOEvent:
	default:
		return false
	}
	switch r.op {
	case DTOReceive, DTOReceiveWithInvalidate, IBDTORecvImmed, IBDTORecvMsgImmed:
		e := eps.Get(r.handle)
		return e != nil && e.rules.Load().srq == s
	}
	return false
}

// completionEVDs are the dispatchers of completions.
func (a *ia) completionEVDs() []*evd {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Collect(maps.Values(a.queues))
}
