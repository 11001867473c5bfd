package perf

import (
	"context"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// both is how a server takes completions. One queue has all of them, except with a set.
func (s *side) both(pause *atomic.Bool) face {
	d := s.receives.Dispatcher()
	if s.cfg.Mode == "set" {
		s.set = event.NewSet()
		return &setBoth{set: s.set, d: [2]*event.Dispatcher[rdma.Completion]{d, s.requests.Dispatcher()}}
	}
	return newFace(s.cfg, d, pause)
}

// setBoth waits with a set, and polls the queue that is ready once: the other has its
// turn, too.
type setBoth struct {
	set *event.Set
	d   [2]*event.Dispatcher[rdma.Completion]
	in  bool
	buf [faceBatch]rdma.Completion
}

func (f *setBoth) next() ([]rdma.Completion, error) {
	if !f.in {
		if err := f.set.Add(f.d[0], f.d[1]); err != nil {
			return nil, err
		}
		f.in = true
	}
	for {
		// Closing the dispatchers ends the wait.
		ready, err := f.set.Wait(context.Background())
		if err != nil {
			return nil, err
		}
		for _, d := range f.d {
			if ready != event.Member(d) {
				continue
			}
			if n := d.Poll(f.buf[:]); n > 0 {
				return f.buf[:n], nil
			}
		}
	}
}
