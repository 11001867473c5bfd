package sendhalf

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// A Half is what the send halves of all paths have in common: it takes posts, enters the queue pair's gate
// Tx and leaves it, and does the work that other goroutines have marked there. A connection embeds it, and so
// gets hca.Poster and RunSend. What a request does is the path's: see Path.
type Half struct {
	q    *core.QP
	path Path
	// After is what is to be done when the gate is left. It is not on the stack of the goroutine inside,
	// because what is passed to Path by reference would then be allocated on the heap.
	After core.Deferred
	Batch bool // a list is being posted: more requests follow this one
}

// A Path is a path's part of a send half. Its methods are called inside the gate Tx.
type Path interface {
	// Pump starts requests and completes those that are done, within a bounded amount of work. The state is
	// StateReady or StateClosing.
	Pump(deferred *core.Deferred)
	// Flush completes the remaining requests as flushed, when their memory is not used any more. The state is
	// StateOver. If it must wait, it has the send half run again.
	Flush(deferred *core.Deferred)
	// AtOnce tries to carry out or to start a send or write of one segment that is not queued yet. It checks
	// whether requests before it must go first. It has the effect of queueing the request and of Pump, or
	// returns NotNow and changes nothing.
	AtOnce(id uint64, op hca.Op, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) Now
	// MayWait reports whether the youngest request, which has just been queued, may wait for others to follow.
	MayWait() bool
}

// Now is the result of Path.AtOnce.
type Now uint8

const (
	NotNow  Now = iota // queue the request
	NowDone            // it was carried out; the send half completes it
	NowSent            // the path has queued it and started it
)

// InitSend makes the send half of a connection of q.
func (s *Half) InitSend(q *core.QP, p Path) { s.q, s.path = q, p }

// RunSend runs the send half, or marks the gate for the goroutine inside.
func (s *Half) RunSend() {
	if s.q.Tx.Enter() {
		s.PumpSend()
		s.LeaveSend()
	}
}

// PumpSend does what there is to do. The caller is inside tx.
func (s *Half) PumpSend() {
	switch s.q.BeginRun() {
	case core.WorkSend:
		s.path.Pump(&s.After)
	case core.WorkFlush:
		s.path.Flush(&s.After)
	}
}

// LeaveSend leaves tx. Before, it does the work that others have marked; after, what may only be done outside.
func (s *Half) LeaveSend() {
	if s.After.None() {
		if !s.q.Tx.Leave() {
			return
		}
		s.PumpSend()
	} else if a, b := s.After.Few(); a != nil {
		if !s.q.Tx.Leave() {
			a.Wake()
			if b != nil {
				b.Wake()
			}
			return
		}
		s.After.PutBack(b)
		s.PumpSend()
	}
	s.leaveWith()
}

// leaveWith is LeaveSend with any work.
func (s *Half) leaveWith() {
	var deferred core.Deferred
	deferred.Take(&s.After)
	for s.q.Tx.Leave() {
		s.PumpSend()
		deferred.Take(&s.After)
	}
	deferred.Finish()
}

func (s *Half) PostSend(wr hca.SendWR) error {
	if plain(&wr) && s.q.PlainReady(wr.Local.Len) {
		return s.postReady(wr.ID, wr.Op, wr.Flags, wr.Local, wr.Remote, wr.RKey)
	}
	inside, err := s.q.Admit(&wr)
	switch {
	case err != nil:
		return err
	case !inside:
		s.postOutside(&wr)
	case plain(&wr):
		s.StartPlain(wr.ID, wr.Op, wr.Flags, wr.Local, wr.Remote, wr.RKey)
	default:
		s.Queue(&wr)
	}
	return nil
}

// Queue queues a counted request that AtOnce is not for, starts it, unless it may wait, and leaves tx.
func (s *Half) Queue(wr *hca.SendWR) {
	s.q.DrainInbox()
	s.q.SQ.Push(wr)
	s.startLast()
}

// plain reports whether a request can be tried with AtOnce.
func plain(wr *hca.SendWR) bool {
	return len(wr.More) == 0 && (wr.Op == hca.OpWrite || wr.Op == hca.OpSend)
}

// postOutside hands a counted request to the goroutine inside tx.
func (s *Half) postOutside(wr *hca.SendWR) {
	s.q.PutInInbox(wr)
	s.RunSend()
}

// startLast starts the request that was just queued, unless it may wait, and leaves tx.
func (s *Half) startLast() {
	if !s.path.MayWait() {
		s.PumpSend()
	}
	s.LeaveSend()
}

// PostSends posts a list.
func (s *Half) PostSends(wrs []hca.SendWR) (n int, err error) {
	q := s.q
	fit, inside := q.BeginPosts(len(wrs))
	if !inside {
		for ; n < len(wrs); n++ {
			if err = q.CheckPost(&wrs[n], n < fit); err != nil {
				break
			}
			q.PutInInbox(&wrs[n])
		}
		q.UncountRest(fit, n)
		if n > 0 {
			s.RunSend()
		}
		return n, err
	}
	s.Batch = true
	for ; n < len(wrs); n++ {
		wr := &wrs[n]
		if n >= fit || !plain(wr) || !q.PlainReady(wr.Local.Len) {
			if err = q.CheckPost(wr, n < fit); err != nil {
				break
			}
		}
		s.startOrQueue(wr)
	}
	q.UncountRest(fit, n)
	s.Batch = false
	s.PumpSend()
	s.LeaveSend()
	return n, err
}

// startOrQueue is for one request of a list. The caller is inside tx, and pumps when all are queued.
func (s *Half) startOrQueue(wr *hca.SendWR) {
	if plain(wr) {
		switch s.path.AtOnce(wr.ID, wr.Op, wr.Flags, wr.Local, wr.Remote, wr.RKey) {
		case NowDone:
			s.q.Succeed(wr.ID, uint64(wr.Local.Len), wr.Op, wr.Flags, &s.After)
			return
		case NowSent:
			return
		}
	}
	s.q.SQ.Push(wr)
}

// PostPlainSend and PostPlainWrite implement hca.PlainPoster.

func (s *Half) PostPlainSend(id uint64, flags hca.Flags, local hca.Segment) error {
	return s.postPlain(id, hca.OpSend, flags, local, 0, 0)
}

func (s *Half) PostPlainWrite(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	return s.postPlain(id, hca.OpWrite, flags, local, remote, rkey)
}

func (s *Half) postPlain(id uint64, op hca.Op, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	if !s.q.PlainReady(local.Len) {
		return s.PostSend(hca.SendWR{ID: id, Op: op, Flags: flags, Local: local, Remote: remote, RKey: rkey})
	}
	return s.postReady(id, op, flags, local, remote, rkey)
}

// postReady is for a post that needs no checks but for a place in the queue: see core.QP.PlainReady.
func (s *Half) postReady(id uint64, op hca.Op, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	q := s.q
	counted, inside := q.Tx.CountIn(int(q.SendDepth))
	if !counted {
		if counted, inside = q.CountBehind(); !counted {
			return core.ErrSendFull
		}
	}
	s.QueuePlain(id, op, flags, local, remote, rkey, inside)
	return nil
}

// QueuePlain carries out, starts or queues a counted request.
func (s *Half) QueuePlain(id uint64, op hca.Op, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key, inside bool) {
	if inside {
		s.StartPlain(id, op, flags, local, remote, rkey)
		return
	}
	s.postOutside(&hca.SendWR{ID: id, Op: op, Flags: flags, Local: local, Remote: remote, RKey: rkey})
}

// StartPlain carries out, starts or queues a counted request, and leaves tx.
func (s *Half) StartPlain(id uint64, op hca.Op, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) {
	switch s.path.AtOnce(id, op, flags, local, remote, rkey) {
	case NowDone:
		s.DonePlain(id, op, flags, uint64(local.Len))
	case NowSent:
		s.LeaveSend()
	default:
		s.StartQueued(id, op, flags, local, remote, rkey)
	}
}

// StartQueued queues a counted request, starts it, unless it may wait, and leaves tx.
func (s *Half) StartQueued(id uint64, op hca.Op, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) {
	if s.q.Inboxed.Load() != 0 {
		s.q.DrainInbox()
	}
	s.q.SQ.PushPlain(id, op, flags, local, remote, rkey)
	if !s.path.MayWait() {
		s.PumpSend()
	}
	s.LeaveSend()
}

// DonePlain completes a request that was carried out at once, and leaves tx.
func (s *Half) DonePlain(id uint64, op hca.Op, flags hca.Flags, n uint64) {
	switch {
	case !s.After.None():
		s.q.Succeed(id, n, op, flags, &s.After)
		s.LeaveSend()
	default:
		s.q.CountSent(op, n)
		if s.q.Completed(id, n, op, flags) {
			s.LeaveCompleted(flags)
		}
	}
}

// LeaveCompleted leaves tx after Completed has returned true.
func (s *Half) LeaveCompleted(flags hca.Flags) {
	s.After.WakeFor(s.q, flags)
	s.PumpSend()
	s.LeaveSend()
}
