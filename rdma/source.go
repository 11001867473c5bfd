package rdma

import (
	"math"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/wait"
	"github.com/godapl/godapl/rdma/mem"
)

// pollBatch is the number of entries per poll of the adapter's queue.
const pollBatch = 32

// completionSource feeds a dispatcher of completions.
type completionSource struct {
	q    *CompletionQueue
	item heldItem
	wcs  [pollBatch]hca.WC
}

// Drain implements event.Source.
func (s *completionSource) Drain(dst []Completion) (n int, signalled bool) {
	q := s.q
	for n < len(dst) {
		if q.ahead.Load() != 0 && q.next(&s.item) {
			dst[n] = s.item.c
			if s.item.established != nil {
				s.item.sink.into(&dst[n], s.item.established)
			}
			s.item = heldItem{}
			signalled = true
			n++
			continue
		}
		want := min(len(dst)-n, pollBatch)
		k := q.cq.Poll(s.wcs[:want])
		for i := range s.wcs[:k] {
			wc, c := &s.wcs[i], &dst[n]
			sess := wc.Owner.(*session)
			translate(c, wc, sess)
			if sess.passes(wc) || sess.admit(q, wc, c) {
				signalled = signalled || c.Flags&NoWake == 0
				n++
			}
		}
		// The poll may have made callbacks that added items ahead.
		if k < want && q.ahead.Load() == 0 {
			break
		}
	}
	q.left(n == len(dst))
	return n, signalled
}

// Arm implements event.Source.
func (s *completionSource) Arm() error { return s.q.cq.Arm() }

// Nothing tells the dispatcher whether a drain is of use.
func (s *completionSource) Nothing() bool { return s.q.nothing() }

// Push is called when the program looks again.
func (s *completionSource) Push() { s.q.push() }

// Steady tells the dispatcher whether waits always begin with a burst.
func (s *completionSource) Steady() bool { return s.q.steady() }

// Crowd tells the dispatcher who else sleeps.
func (s *completionSource) Crowd() *wait.Crowd { return &s.q.adapter.crowd }

// convertingSource feeds a dispatcher of any type.
type convertingSource[T any] struct {
	q    *CompletionQueue
	put  func(*T, *Completion)
	item heldItem
	wcs  [pollBatch]hca.WC
}

// Drain implements event.Source.
func (s *convertingSource[T]) Drain(dst []T) (n int, signalled bool) {
	q, c := s.q, &s.item.c
	for n < len(dst) {
		if q.ahead.Load() != 0 && q.next(&s.item) {
			var none T
			dst[n] = none
			if s.item.established != nil {
				s.item.sink.into(&dst[n], s.item.established)
			} else {
				s.put(&dst[n], c)
			}
			s.item = heldItem{}
			signalled = true
			n++
			continue
		}
		want := min(len(dst)-n, pollBatch)
		k := q.cq.Poll(s.wcs[:want])
		for i := range s.wcs[:k] {
			wc := &s.wcs[i]
			sess := wc.Owner.(*session)
			translate(c, wc, sess)
			if sess.passes(wc) || sess.admit(q, wc, c) {
				var none T
				dst[n] = none
				s.put(&dst[n], c)
				signalled = signalled || c.Flags&NoWake == 0
				n++
			}
		}
		if k < want && q.ahead.Load() == 0 {
			break
		}
	}
	q.left(n == len(dst))
	return n, signalled
}

// Arm implements event.Source.
func (s *convertingSource[T]) Arm() error { return s.q.cq.Arm() }

// Nothing tells the dispatcher whether a drain is of use.
func (s *convertingSource[T]) Nothing() bool { return s.q.nothing() }

// Push is called when the program looks again.
func (s *convertingSource[T]) Push() { s.q.push() }

// Steady tells the dispatcher whether waits always begin with a burst.
func (s *convertingSource[T]) Steady() bool { return s.q.steady() }

// Crowd tells the dispatcher who else sleeps.
func (s *convertingSource[T]) Crowd() *wait.Crowd { return &s.q.adapter.crowd }

// translate converts an entry to a completion.
func translate(c *Completion, wc *hca.WC, sess *session) {
	c.Endpoint = sess.ep
	c.Cookie = wc.ID
	c.Length = int(min(wc.Len, math.MaxInt)) // a peer says how long a write is, and an int may have 32 bits
	c.Window = nil
	c.Immediate = wc.Imm
	c.Invalidated = mem.Key(wc.RKey)
	c.Vendor = wc.Vendor
	c.Op = wc.Op
	c.Status = wc.Status
	c.Flags = Flags(wc.Flags) & toHCA
}

// passes reports whether an entry can be delivered at once.
func (sess *session) passes(wc *hca.WC) bool {
	return wc.Flags&hca.Private == 0 && sess.holdback.bypassed.Load() && sess.ep.marks.Load() == nil
}

// admit decides the same for all other entries: some belong to waiting calls, and some are
// held back until their connection's ESTABLISHED has been delivered.
func (sess *session) admit(q *CompletionQueue, wc *hca.WC, c *Completion) bool {
	if wc.Flags&hca.Private != 0 && !sess.pending.completed(wc.ID, c) {
		return false
	}
	if wc.Op.IsRecv() && wc.Status == StatusOK && sess.ep.session.Load() == sess { // not of a former connection
		sess.ep.lookAtMarks(1)
	}
	if wc.Op == OpBind && sess.bindQ != nil {
		q = sess.bindQ
		if !sess.holdback.hold(q, c) {
			q.stash(c)
		}
		return false
	}
	return !sess.holdback.hold(q, c)
}
