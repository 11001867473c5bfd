package perf

import (
	"context"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// face is how this side takes the completions of one of its queues.
func (s *side) face(d *event.Dispatcher[rdma.Completion], pause *atomic.Bool) (face, error) {
	if s.cfg.Mode != "set" {
		return newFace(s.cfg, d, pause), nil
	}
	if s.set == nil {
		s.set = event.NewSet()
		for _, q := range []*rdma.CompletionQueue{s.receives, s.requests} {
			if err := s.set.Add(q.Dispatcher()); err != nil {
				return nil, err
			}
			s.members = append(s.members, &member{side: s, d: q.Dispatcher()})
		}
	}
	return s.member(d), nil
}

func (s *side) member(d event.Member) *member {
	for _, m := range s.members {
		if event.Member(m.d) == d {
			return m
		}
	}
	return nil
}

// A member is a queue of a side that waits for both queues with one set, as a server
// does that handles requests and the completions of its own answers in one loop. What
// arrives in the other queue meanwhile is kept for the calls for that one, whose results
// are good until the next call for any of them.
type member struct {
	side *side
	d    *event.Dispatcher[rdma.Completion]
	buf  [faceBatch]rdma.Completion
	kept int  // completions in buf
	full bool // the set has returned the queue when buf had no room
}

func (m *member) next() ([]rdma.Completion, error) {
	if m.kept == 0 && m.full {
		m.full = false
		m.take()
	}
	for m.kept == 0 {
		// Closing the dispatchers ends the wait.
		ready, err := m.side.set.Wait(context.Background())
		if err != nil {
			return nil, err
		}
		m.side.member(ready).take()
	}
	n := m.kept
	m.kept = 0
	return m.buf[:n], nil
}

// take polls once: the other queue has its turn, too.
func (m *member) take() {
	m.full = m.kept == m.side.cfg.Take
	m.kept += m.d.Poll(m.buf[m.kept:m.side.cfg.Take])
}
