package soft

import (
	"fmt"
	"slices"

	"github.com/godapl/godapl/internal/hca"
)

// srq is a shared receive queue. Its domain is the one that its receives are
// checked against.
type srq struct {
	recvq
	pd     *pd
	maxSGE int
	notify func()

	// guarded by recvq.mu
	limit   int
	waiting []*qp // senders whose message found no receive
	refs    int
	dead    bool
}

func (p *pd) NewSRQ(cfg hca.SRQConfig) (hca.SRQ, error) {
	const op = "new shared receive queue"
	at := &p.a.attr
	if cfg.Depth <= 0 || cfg.Depth > at.MaxSRQWR {
		return nil, hca.NewError(hca.Invalid, op, "", fmt.Sprintf("depth %d is not in 1..%d", cfg.Depth, at.MaxSRQWR))
	}
	if cfg.MaxSGE < 0 || cfg.MaxSGE > at.MaxSGE {
		return nil, hca.NewError(hca.Invalid, op, "", fmt.Sprintf("%d segments are not in 0..%d", cfg.MaxSGE, at.MaxSGE))
	}
	if err := p.hold(op); err != nil {
		return nil, err
	}
	s := &srq{pd: p, maxSGE: cfg.MaxSGE, notify: cfg.Limit}
	s.depth, s.back.many = cfg.Depth, true
	if s.notify == nil {
		s.notify = func() {}
	}
	if err := p.a.track(op, s); err != nil {
		p.drop()
		return nil, err
	}
	return s, nil
}

func (s *srq) PostRecv(wr hca.RecvWR) error {
	if err := checkRecv(&wr, s.maxSGE); err != nil {
		return err
	}
	s.mu.lock()
	if s.dead {
		s.mu.unlock()
		return hca.NewError(hca.Closed, "post receive", "shared receive queue", "the queue has been closed")
	}
	if !s.count() {
		s.mu.unlock()
		return errRecvFull
	}
	s.put(&wr)
	waiting := s.waiting
	s.waiting = nil
	s.mu.unlock()
	for _, q := range waiting {
		q.receiveCame()
	}
	return nil
}

// takeFor takes a receive for q's connection, or remembers to tell q's peer
// when there is one.
func (s *srq) takeFor(dst *receive, q *qp) bool {
	s.mu.lock()
	if !s.take(dst) {
		if !slices.Contains(s.waiting, q) {
			s.waiting = append(s.waiting, q)
		}
		s.mu.unlock()
		return false
	}
	low := s.limit > 0 && s.len() < s.limit
	if low {
		s.limit = 0
	}
	s.mu.unlock()
	if low {
		s.pd.a.engine.do(s.notify) // the caller is inside a gate
	}
	return true
}

func (s *srq) Arm(limit int) error {
	s.mu.lock()
	if s.dead {
		s.mu.unlock()
		return hca.NewError(hca.Closed, "set low watermark", "shared receive queue", "the queue has been closed")
	}
	if limit < 0 || limit > s.depth {
		d := s.depth
		s.mu.unlock()
		return hca.NewError(hca.Invalid, "set low watermark", "shared receive queue", fmt.Sprintf("%d is not in 0..%d", limit, d))
	}
	low := limit > 0 && s.len() < limit
	s.limit = limit
	if low {
		s.limit = 0
	}
	s.mu.unlock()
	if low {
		s.notify()
	}
	return nil
}

func (s *srq) Resize(depth int) error {
	const op = "resize"
	if depth <= 0 || depth > s.pd.a.attr.MaxSRQWR {
		return hca.NewError(hca.Invalid, op, "shared receive queue", fmt.Sprintf("depth %d is not in 1..%d", depth, s.pd.a.attr.MaxSRQWR))
	}
	s.mu.lock()
	defer s.mu.unlock()
	if s.dead {
		return hca.NewError(hca.Closed, op, "shared receive queue", "the queue has been closed")
	}
	if used := s.used(); depth < used || depth < s.limit {
		return hca.NewError(hca.State, op, "shared receive queue", fmt.Sprintf("%s outstanding and the low watermark is %d", hca.CountIs(used, "receive"), s.limit))
	}
	s.depth = depth
	return nil
}

func (s *srq) Depth() int {
	s.mu.lock()
	defer s.mu.unlock()
	return s.depth
}

func (s *srq) Counts() (available, outstanding int) {
	s.mu.lock()
	defer s.mu.unlock()
	return s.len(), s.used()
}

func (s *srq) attach() error {
	s.mu.lock()
	defer s.mu.unlock()
	if s.dead {
		return hca.NewError(hca.Closed, "new endpoint", "shared receive queue", "the queue has been closed")
	}
	s.refs++
	return nil
}

func (s *srq) detach(q *qp) {
	s.mu.lock()
	s.refs--
	if i := slices.Index(s.waiting, q); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	s.mu.unlock()
}

func (s *srq) Close() error {
	s.mu.lock()
	defer s.mu.unlock()
	if s.refs > 0 {
		return hca.NewError(hca.InUse, "close", "shared receive queue", "it still serves "+hca.Count(s.refs, "endpoint")+": close that first")
	}
	if !s.dead {
		s.dead = true
		s.head.Store(s.tail.Load())
		s.pd.a.untrack(s)
		s.pd.drop()
	}
	return nil
}
