package perf

import (
	"context"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// The server of calls: one goroutine, and one shared receive queue for all connections.
// A request arrives in a buffer that is a receive again as soon as its bytes are copied. The answer
// leaves from a place of its connection, and has no completion: the client calls again on that
// place only when it has the answer.

// fillServer is fill for the server of calls.
func (s *side) fillServer() (err error) {
	c := s.cfg
	n := min(c.Connections*c.Depth, s.adapter.Attributes().MaxSharedDepth)
	if s.incoming, err = s.memory(n*c.stride(), mem.LocalWrite); err != nil {
		return err
	}
	if s.own, err = s.memory(c.Connections*c.Depth*c.stride(), mem.Local); err != nil {
		return err
	}
	// Answers that fail have completions, all at once when the connections end.
	sends := c.Connections * c.callDepth()
	if c.Mode == "set" { // a set has both queues
		err = s.queues(sends, n)
	} else {
		err = s.queues(1, n+sends)
		s.requests = s.receives
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
	taken := 0
	for request := range p.ln.Requests() {
		if taken++; taken > p.cfg.Connections {
			return tooMany(p.cfg.Connections, request)
		}
		e, err := p.adapter.NewEndpoint(config)
		if err != nil {
			return err
		}
		config.Tag = (config.Tag + 1) % uint64(p.cfg.Connections) // where its answers are
		if _, err := request.AcceptOn(ctx, e, rdma.ConnConfig{Private: []byte{gives}}); err != nil {
			return err
		}
	}
	return nil
}

// called handles a completion of the server: a request, or an answer that failed.
func (p *passive) called(c *rdma.Completion) error {
	switch {
	case c.Status == rdma.StatusFlushed: // the other side is done
		return nil
	case c.Status != rdma.StatusOK:
		return c.Err()
	}
	n, stride := int(c.Endpoint.Tag()), p.cfg.stride()
	answer := p.own.Slice((n*p.cfg.Depth+p.answered[n]%p.cfg.Depth)*stride, c.Length)
	p.answered[n]++
	copy(answer.Bytes(), p.incoming.Slice(int(c.Cookie)*stride, c.Length).Bytes())
	if err := p.receive(nil, c.Cookie); err != nil {
		return err
	}
	return c.Endpoint.PostSend(rdma.Send{From: answer, Flags: rdma.NoCompletion})
}
