package perf

import (
	"context"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// The server of calls: one goroutine, and one shared receive queue for all connections.
// A request arrives in a buffer, the answer is sent from the same buffer, and when that send
// is complete the buffer is posted as a receive again.

// sharedDepth is the number of these buffers: as many as there are calls on the way, and
// as many answers whose completions have not been taken.
func (c *config) sharedDepth() int { return 2 * c.Connections * c.Depth }

// fillServer is fill for the server of calls.
func (s *side) fillServer() (err error) {
	c := s.cfg
	n := min(c.sharedDepth(), s.adapter.Attributes().MaxSharedDepth)
	if s.incoming, err = s.memory(n*c.stride(), mem.Local); err != nil {
		return err
	}
	// The completions of answers that have not been taken are as many as buffers at most.
	// They must not fill the queue, whichever connections they belong to.
	answers := c.Connections*c.callDepth() + n
	if c.Mode == "wait" { // see both
		err = s.queues(1, n+answers)
		s.requests = s.receives
	} else {
		err = s.queues(answers, n)
	}
	if err != nil {
		return err
	}
	if s.srq, err = s.zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Depth: n, Segments: 1}); err != nil {
		return err
	}
	for i := range n {
		if err := s.receive(nil, uint64(i)); err != nil {
			return err
		}
	}
	return nil
}

// acceptCalls takes connections until the listener is closed.
func (p *passive) acceptCalls(ctx context.Context) error {
	config := rdma.EndpointConfig{Zone: p.zone, SharedReceives: p.srq, RecvCQ: p.receives, SendCQ: p.requests,
		SendDepth: p.cfg.callDepth(), ReadsOut: -1, ReadsIn: -1}
	gives := byte(0)
	if p.gives {
		gives = 1
	}
	for request := range p.ln.Requests() {
		e, err := p.adapter.NewEndpoint(config)
		if err != nil {
			return err
		}
		if _, err := request.AcceptOn(ctx, e, rdma.ConnConfig{Private: []byte{gives}}); err != nil {
			return err
		}
	}
	return nil
}

// called handles a completion of the server: a request, or the send of an answer.
func (p *passive) called(c *rdma.Completion) error {
	switch {
	case c.Status == rdma.StatusFlushed: // the other side is done
		return nil
	case c.Status != rdma.StatusOK:
		return c.Err()
	case c.Op == rdma.OpSend:
		return p.receive(nil, c.Cookie)
	}
	return c.Endpoint.PostSend(rdma.Send{From: p.incoming.Slice(int(c.Cookie)*p.cfg.stride(), c.Length), Cookie: c.Cookie})
}
