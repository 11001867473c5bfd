package rdmatest

import (
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// worldSRQ is a shared receive queue with books.
type worldSRQ struct {
	hca.SRQ
	a *worldAdapter

	mu     sync.Mutex
	serial uint64
	last   time.Time          // when the latest was posted
	recvs  map[uint64]*posted // by their serials: those that no completion was taken of
}

func (p *worldPD) NewSRQ(cfg hca.SRQConfig) (hca.SRQ, error) {
	q, err := p.PD.NewSRQ(cfg)
	if err != nil {
		return nil, err
	}
	s := &worldSRQ{SRQ: q, a: p.a, recvs: map[uint64]*posted{}}
	p.a.outer.Store(q.(*srq).SRQ, hca.SRQ(s))
	return s, nil
}

// PostRecv implements hca.SRQ.
func (s *worldSRQ) PostRecv(wr hca.RecvWR) error {
	p := &posted{id: wr.ID, op: hca.OpRecv, len: length(wr.Local, wr.More), fate: s.a.h.w.fate(hca.OpRecv), local: wr.Local, more: append([]hca.Segment(nil), wr.More...)}
	s.mu.Lock()
	s.serial++
	s.last = time.Now()
	p.serial = s.serial
	s.a.keepPlace(p, s.others)
	s.recvs[p.serial] = p
	s.mu.Unlock()
	wr.ID = p.serial
	err := s.SRQ.PostRecv(wr)
	if err != nil {
		s.take(p.serial)
		s.a.h.w.spare(p.fate)
	}
	return err
}

// take takes a receive out of the books.
func (s *worldSRQ) take(serial uint64) (p *posted, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok = s.recvs[serial]
	delete(s.recvs, serial)
	return p, ok
}

// latest is when the latest receive was posted.
func (s *worldSRQ) latest() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}
