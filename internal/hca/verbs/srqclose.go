package verbs

import (
	"strconv"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// Arm sets the low watermark. A device compares it only when it uses a receive, so
// receives that it has used before the call are checked here, after arming.
func (s *srq) Arm(limit int) error {
	const op = "SRQ.Arm"
	s.ad.dev.drain() // the event of a former limit would use up the new one
	s.mu.Lock()
	switch {
	case s.closed:
		s.mu.Unlock()
		return hca.NewError(hca.Closed, op, "shared receive queue", "it has been closed")
	case limit < 0 || limit > s.depth:
		s.mu.Unlock()
		return hca.NewError(hca.Invalid, op, strconv.Itoa(limit), "a limit is at least 0 (off) and at most the queue's depth")
	}
	e := s.ad.lib.ModifySRQ(s.h, ibv.SRQAttr{Limit: uint32(limit)}, ibv.SRQLimit)
	if e == 0 {
		s.limit = limit
	}
	s.mu.Unlock()
	if e != 0 {
		return explain(op, s.ad.attr.Name, e, "")
	}
	if limit == 0 {
		return nil
	}
	if available, _ := s.Counts(); available < limit && s.limitReached() {
		s.ad.notify(s.cfg.Limit)
	}
	return nil
}

// limitReached reports, once per Arm, that the consumer is to be notified.
func (s *srq) limitReached() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	armed := s.limit > 0 && !s.closed
	s.limit = 0
	return armed && s.cfg.Limit != nil
}

// asyncEvent handles an asynchronous event of the queue.
func (s *srq) asyncEvent(typ ibv.EventType, what string) {
	if typ == ibv.EventSRQLimitReached {
		if s.limitReached() {
			s.ad.tell(s.cfg.Limit)
		}
		return
	}
	s.ad.reportAsync(hca.AsyncEvent{Kind: hca.AsyncSRQFailed, Object: hca.SRQ(s),
		Err: hca.NewError(hca.Internal, "shared receive queue", s.ad.attr.Name, what)})
}

// Resize changes the device's queue, where the device can.
func (s *srq) Resize(depth int) error {
	const op = "SRQ.Resize"
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return hca.NewError(hca.Closed, op, "shared receive queue", "it has been closed")
	case depth < 1 || depth > s.ad.attr.MaxSRQWR:
		return hca.NewError(hca.Invalid, op, strconv.Itoa(depth)+" receives",
			"a shared receive queue holds from 1 to "+strconv.Itoa(s.ad.attr.MaxSRQWR)+" on this device")
	case int(s.unpolled.Load()) > depth:
		return hca.NewError(hca.State, op, strconv.Itoa(depth)+" receives", "more are outstanding")
	}
	if e := s.ad.lib.ModifySRQ(s.h, ibv.SRQAttr{MaxWR: uint32(depth)}, ibv.SRQMaxWR); e != 0 {
		return explain(op, s.ad.attr.Name, e, "")
	}
	if depth > len(s.recs) {
		if err := s.alloc(depth); err != nil {
			return err
		}
	}
	s.depth = depth
	return nil
}

// join counts a queue pair that takes receives from the queue.
func (s *srq) join(op string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return hca.NewError(hca.Closed, op, "shared receive queue", "it has been closed")
	}
	s.users++
	return nil
}

func (s *srq) leave() {
	s.mu.Lock()
	s.users--
	s.mu.Unlock()
}

func (s *srq) Close() error {
	const op = "SRQ.Close"
	if err := s.ad.begin(op); err != nil {
		return err
	}
	defer s.ad.calls.leave()
	if err := s.pd.open(op); err != nil {
		return err
	}
	s.mu.Lock()
	var err error
	switch {
	case s.closed:
		err = hca.NewError(hca.Closed, op, "shared receive queue", "it has been closed")
	case s.users > 0:
		err = hca.NewError(hca.InUse, op, "shared receive queue", "queue pairs use it: close them first")
	default:
		s.closed = true
		delete(s.pd.srqs, s)
		s.pd.users++ // the domain stays until the device has freed the queue
	}
	s.mu.Unlock()
	s.pd.mu.Unlock()
	if err == nil {
		s.free()
		s.pd.leave()
	}
	return err
}

// free takes the queue out of the adapter and destroys it. It waits until its
// events have been read.
func (s *srq) free() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	remove(s.ad, s.ad.bySRQ, s.h)
	s.destroy()
}

func (s *srq) destroy() {
	if e := s.ad.lib.DestroySRQ(s.h); e != 0 {
		s.ad.logf("a shared receive queue could not be freed", "error", e)
	}
	s.ad.table.drop(s.index)
	s.release()
}
