package dat

import (
	"maps"
	"slices"
	"sync"
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
		if e := eps.Get(r.handle); e != nil {
			return e.rules.Load().srq == s
		}
		return s.former.has(r.handle)
	}
	return false
}

// completionEVDs are the dispatchers of completions.
func (a *ia) completionEVDs() []*evd {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Collect(maps.Values(a.queues))
}

// formerEPs are the endpoints of a shared receive queue that were freed. Their events stay in the dispatchers, and are of
// receives of the queue until the program has taken them.
type formerEPs struct {
	mu   sync.Mutex
	all  map[Handle]bool // true: it makes no more completions
	most int             // more than that are looked through
}

func (f *formerEPs) add(h Handle) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil {
		f.all, f.most = map[Handle]bool{}, 16
	}
	f.all[h] = false
}

func (f *formerEPs) has(h Handle) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, ok := f.all[h]
	return ok
}

// close enters that an endpoint makes no more completions. If there are many, it returns those that do not.
func (f *formerEPs) close(h Handle) (done []Handle) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all[h] = true
	if len(f.all) <= f.most {
		return nil
	}
	for h, closed := range f.all {
		if closed {
			done = append(done, h)
		}
	}
	return done
}

// forget removes endpoints. What is left may double before the next look.
func (f *formerEPs) forget(gone []Handle) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, h := range gone {
		delete(f.all, h)
	}
	f.most = 2*len(f.all) + 16
}

// closed is called when an endpoint makes no more completions. It forgets those of which no event is left.
func (s *srq) closed(h Handle) {
	done := s.former.close(h)
	if len(done) == 0 {
		return
	}
	if !s.ia.allTold() {
		s.former.forget(nil)
		return
	}
	queued := map[Handle]bool{}
	for _, d := range s.ia.completionEVDs() {
		for _, r := range feed(d.d).Queued() {
			queued[r.handle] = true
		}
	}
	s.former.forget(slices.DeleteFunc(done, func(h Handle) bool { return queued[h] }))
}
