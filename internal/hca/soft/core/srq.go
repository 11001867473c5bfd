package core

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
)

// SRQ is a shared receive queue. Its receives are checked against its protection domain.
type SRQ struct {
	RecvQueue
	pd     *PD
	maxSGE int
	notify func()

	// guarded by RecvQueue.mu
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
	s.depth, s.back.Many = cfg.Depth, true
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
	s.mu.Lock()
	if s.dead {
		s.mu.Unlock()
		return hca.NewError(hca.Closed, "post receive", "shared receive queue", "the queue has been closed")
	}
	if !s.count() {
		s.mu.Unlock()
		return errRecvFull
	}
	s.put(&wr)
	s.callWaiting()
	s.mu.Unlock()
	return nil
}

// takeFor takes a receive for q's connection. If there is none, recvPosted of q is called when there is one for it.
func (s *SRQ) takeFor(dst *Receive, q *QP) bool {
	s.mu.Lock()
	if !s.take(dst) {
		s.wait(q)
		s.mu.Unlock()
		return false
	}
	if q.turn != noTurn {
		s.forget(q)
	}
	low := s.limit > 0 && s.len() < s.limit
	if low {
		s.limit = 0
	}
	s.mu.Unlock()
	if low {
		s.pd.Adapter.Engine.Do(s.notify) // the caller is inside a gate
	}
	return true
}

func (s *SRQ) Arm(limit int) error {
	s.mu.Lock()
	if s.dead {
		s.mu.Unlock()
		return hca.NewError(hca.Closed, "set low watermark", "shared receive queue", "the queue has been closed")
	}
	if limit < 0 || limit > s.depth {
		d := s.depth
		s.mu.Unlock()
		return hca.NewError(hca.Invalid, "set low watermark", "shared receive queue", fmt.Sprintf("%d is not in 0..%d", limit, d))
	}
	low := limit > 0 && s.len() < limit
	s.limit = limit
	if low {
		s.limit = 0
	}
	s.mu.Unlock()
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
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return hca.NewError(hca.Closed, op, "shared receive queue", "the queue has been closed")
	}
	if used := s.used(); depth < used || depth < s.limit {
		return hca.NewError(hca.State, op, "shared receive queue", fmt.Sprintf("%s outstanding and the low watermark is %d", hca.CountIs(used, "receive"), s.limit))
	}
	s.depth = depth
	return nil
}

func (s *SRQ) Depth() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.depth
}

func (s *SRQ) Counts() (available, outstanding int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.len(), s.used()
}

func (s *SRQ) attach() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return hca.NewError(hca.Closed, "new endpoint", "shared receive queue", "the queue has been closed")
	}
	s.refs++
	return nil
}

func (s *SRQ) detach(q *QP) {
	s.mu.Lock()
	s.refs--
	s.forget(q)
	s.callWaiting()
	s.mu.Unlock()
}

func (s *SRQ) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refs > 0 {
		return hca.NewError(hca.InUse, "close", "shared receive queue", "it still serves "+hca.Count(s.refs, "endpoint")+": close that first")
	}
	if !s.dead {
		s.dead = true
		s.head.Store(s.tail.Load())
		s.pd.Adapter.Untrack(s)
		s.pd.drop()
	}
	return nil
}
