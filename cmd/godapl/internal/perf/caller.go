package perf

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// A caller is a goroutine that calls on its connections, whose answers come to one queue.
// It takes no completions of its requests: an answer says that the request has arrived.
type caller struct {
	*side
	came    face
	ends    []callEnd
	request rdma.Send
}

// callEnd is one connection. Its answers come in the order of the calls.
type callEnd struct {
	e         *rdma.Endpoint
	sent      []time.Time // a ring of the calls on the way
	next, out int         // next of the ring, and how many are on the way
}

// newCaller connects n times, with the adapter of s.
func newCaller(ctx context.Context, s *side, address string, n int) (*caller, error) {
	c := s.cfg
	l := &caller{side: &side{cfg: c, adapter: s.adapter, zone: s.zone}, ends: make([]callEnd, n)}
	var err error
	if l.own, err = s.zone.Alloc(c.stride(), mem.Local); err != nil {
		return nil, err
	}
	if l.incoming, err = s.zone.Alloc(n*c.Depth*c.stride(), mem.LocalWrite); err != nil {
		return nil, err
	}
	if err := l.queues(n*c.callDepth(), n*c.Depth); err != nil {
		return nil, err
	}
	if l.came, err = l.face(l.receives.Dispatcher(), new(atomic.Bool)); err != nil {
		return nil, err
	}
	l.request = rdma.Send{From: l.own.Slice(0, c.Size), Flags: rdma.NoCompletion}
	for i := range l.ends {
		if l.ends[i].e, err = l.dial(ctx, address, i*c.Depth); err != nil {
			return nil, err
		}
		l.ends[i].sent = make([]time.Time, c.Depth)
	}
	return l, nil
}

// dial makes a connection whose receives have the numbers from first.
func (l *caller) dial(ctx context.Context, address string, first int) (*rdma.Endpoint, error) {
	c := l.cfg
	e, err := l.adapter.NewEndpoint(rdma.EndpointConfig{
		Zone: l.zone, RecvCQ: l.receives, SendCQ: l.requests, SendDepth: c.callDepth(), RecvDepth: c.Depth, ReadsOut: -1, ReadsIn: -1,
	})
	if err != nil {
		return nil, err
	}
	for i := range c.Depth {
		if err := l.receive(e, uint64(first+i)); err != nil {
			return nil, err
		}
	}
	conn, err := e.Connect(ctx, address, rdma.ConnConfig{})
	if err != nil {
		return nil, err
	}
	if p := conn.PrivateData(); len(p) == 0 || p[0] != 0 {
		return nil, errors.New("calls cannot be measured here: a message that finds no receive would end the connection")
	}
	return e, nil
}

// run makes calls until the limit, and waits for all answers.
func (l *caller) run(limit limit, t *times) error {
	left, over, stop := limit.begin()
	defer stop()
	out := 0
	for i := range l.ends {
		for range min(int64(l.cfg.Depth), left) {
			if err := l.call(&l.ends[i], time.Now()); err != nil {
				return err
			}
			out++
			left--
		}
	}
	for out > 0 {
		cs, err := l.came.next()
		if err != nil {
			return err
		}
		for i := range cs {
			if err := cs[i].Err(); err != nil {
				return err
			}
			end, now := &l.ends[int(cs[i].Cookie)/l.cfg.Depth], time.Now()
			t.add(now.Sub(end.answered()))
			if err := l.receive(end.e, cs[i].Cookie); err != nil {
				return err
			}
			out--
			if left == 0 || over.Load() {
				continue
			}
			if err := l.call(end, now); err != nil {
				return err
			}
			out++
			left--
		}
	}
	return nil
}

func (l *caller) call(end *callEnd, now time.Time) error {
	end.called(now)
	return end.e.PostSend(l.request)
}

// called counts a call.
func (end *callEnd) called(now time.Time) {
	end.sent[(end.next+end.out)%len(end.sent)] = now
	end.out++
}

// answered is when the oldest call was made.
func (end *callEnd) answered() time.Time {
	began := end.sent[end.next]
	end.next = (end.next + 1) % len(end.sent)
	end.out--
	return began
}

// callDepth is the depth of a connection's queue of sends: one may still count when its
// answer, or the next request, has come.
func (c *config) callDepth() int { return max(16, 2*c.Depth) }
