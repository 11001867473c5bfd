package core

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/receives"
)

// SRQ is a shared receive queue. Its receives are checked against its protection domain.
type SRQ struct {
	receives.Queue
	pd     *PD
	maxSGE int
	notify func()

	// guarded by Queue.Mu
	limit   int
	waiting []*QP // see srqwait.go
	called  int   // likewise
	refs    int
	dead    bool
}

func (p *PD) NewSRQ(cfg hca.SRQConfig) (hca.SRQ, error) {
	const op = "new shared receive queue"
	at := &p.Adapter.Attrs
	if cfg.Depth <= 0 || cfg.Depth > at.MaxSRQWR {
		return nil, hca.NewError(hca.Invalid, op, "", fmt.Sprintf("depth %d is not in 1..%d", cfg.Depth, at.MaxSRQWR))
	}
	if cfg.MaxSGE < 0 || cfg.MaxSGE > at.MaxSGE {
		return nil, hca.NewError(hca.Invalid, op, "", fmt.Sprintf("%d segments are not in 0..%d", cfg.MaxSGE, at.MaxSGE))
	}
	if err := p.hold(op); err != nil {
		return nil, err
	}
	s := &SRQ{pd: p, maxSGE: cfg.MaxSGE, notify: cfg.Limit}
	s.Limit, s.Back.Many = cfg.Depth, true
	if s.notify == nil {
		s.notify = func() {}
	}
	if err := p.Adapter.Track(op, s); err != nil {
		p.drop()
		return nil, err
	}
	return s, nil
}

func (s *SRQ) PostRecv(wr hca.RecvWR) error {
	if err := checkRecv(&wr, s.maxSGE); err != nil {
		return err
	}
	s.Mu.Lock()
	if s.dead {
		s.Mu.Unlock()
		return hca.NewError(hca.Closed, "post receive", "shared receive queue", "the queue has been closed")
	}
	if !s.Count() {
		s.Mu.Unlock()
		return errRecvFull
	}
	s.Put(&wr)
	s.callWaiting()
	s.Mu.Unlock()
	return nil
}

// takeFor takes a receive for q's connection. If there is none, recvPosted of q is called when there is one for it.
func (s *SRQ) takeFor(dst *receives.Receive, q *QP) bool {
	s.Mu.Lock()
	if !s.Take(dst) {
		s.wait(q)
		s.Mu.Unlock()
		return false
	}
	if q.turn != noTurn {
		s.forget(q)
	}
	low := s.limit > 0 && s.Len() < s.limit
	if low {
		s.limit = 0
	}
	s.Mu.Unlock()
	if low {
		s.pd.Adapter.Engine.Do(s.notify) // the caller is inside a gate
	}
	return true
}

func (s *SRQ) Arm(limit int) error {
	s.Mu.Lock()
	if s.dead {
		s.Mu.Unlock()
		return hca.NewError(hca.Closed, "set low watermark", "shared receive queue", "the queue has been closed")
	}
	if limit < 0 || limit > s.Limit {
		d := s.Limit
		s.Mu.Unlock()
		return hca.NewError(hca.Invalid, "set low watermark", "shared receive queue", fmt.Sprintf("%d is not in 0..%d", limit, d))
	}
	low := limit > 0 && s.Len() < limit
	s.limit = limit
	if low {
		s.limit = 0
	}
	s.Mu.Unlock()
	if low {
		s.notify()
	}
	return nil
}

func (s *SRQ) Resize(depth int) error {
	const op = "resize"
	if depth <= 0 || depth > s.pd.Adapter.Attrs.MaxSRQWR {
		return hca.NewError(hca.Invalid, op, "shared receive queue", fmt.Sprintf("depth %d is not in 1..%d", depth, s.pd.Adapter.Attrs.MaxSRQWR))
	}
	if err := s.setDepth(op, depth); err != nil {
		return err
	}
	for _, q := range s.pd.QueuePairs() {
		if q.SRQ == s {
			q.RecvCQ.stretch() // others may have borrowed there what is now promised here
		}
	}
	return nil
}

func (s *SRQ) setDepth(op string, depth int) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.dead {
		return hca.NewError(hca.Closed, op, "shared receive queue", "the queue has been closed")
	}
	if used := s.Used(); depth < used || depth < s.limit {
		return hca.NewError(hca.State, op, "shared receive queue", fmt.Sprintf("%s outstanding and the low watermark is %d", hca.CountIs(used, "receive"), s.limit))
	}
	s.Limit = depth
	return nil
}

func (s *SRQ) Depth() int {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Limit
}

func (s *SRQ) Counts() (available, outstanding int) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Len(), s.Used()
}

// untaken is how many receives have left the queue, and nobody has taken their completions.
func (s *SRQ) untaken() int {
	available, outstanding := s.Counts()
	return outstanding - available
}

func (s *SRQ) attach() error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.dead {
		return hca.NewError(hca.Closed, "new endpoint", "shared receive queue", "the queue has been closed")
	}
	s.refs++
	return nil
}

func (s *SRQ) detach(q *QP) {
	s.Mu.Lock()
	s.refs--
	s.forget(q)
	s.callWaiting()
	s.Mu.Unlock()
}

func (s *SRQ) Close() error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.refs > 0 {
		return hca.NewError(hca.InUse, "close", "shared receive queue", "it still serves "+hca.Count(s.refs, "endpoint")+": close that first")
	}
	if !s.dead {
		s.dead = true
		s.DropAll()
		s.pd.Adapter.Untrack(s)
		s.pd.drop()
	}
	return nil
}
