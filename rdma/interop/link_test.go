package interop_test

import (
	"context"
	"fmt"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// patience bounds each step. It is far more than a step needs, even on an emulated machine.
const patience = 60 * time.Second

// A link is an endpoint with posted receives: over iWARP a message that finds no receive ends the
// connection.
type link struct {
	*rdma.Endpoint
	conn  *rdma.Conn
	zone  *rdma.Zone
	size  int
	slots *mem.Region
	count int // slots; the last is not posted
	spare int
	out   *mem.Region
}

// newLink makes a link for messages of up to size bytes. depth messages may be in flight.
func newLink(a *rdma.Adapter, size, depth int) (*link, error) {
	zone, err := a.NewZone()
	if err != nil {
		return nil, err
	}
	l := &link{zone: zone, size: size, count: depth + 1, spare: depth}
	if l.slots, err = zone.Alloc(max(1, size)*l.count, mem.Local); err != nil {
		return nil, err
	}
	if l.out, err = zone.Alloc(max(8, size), mem.Local); err != nil {
		return nil, err
	}
	l.Endpoint, err = a.NewEndpoint(rdma.EndpointConfig{Zone: zone, SendDepth: depth + 16, RecvDepth: l.count})
	for i := 0; err == nil && i < depth; i++ {
		err = l.post(i)
	}
	return l, err
}

func (l *link) slot(i int) mem.Slice { return l.slots.Slice(i*max(1, l.size), l.size) }
func (l *link) post(i int) error {
	return l.PostRecv(rdma.Recv{Into: l.slot(i), Cookie: uint64(i)})
}

// again resets the endpoint and posts its receives, for another attempt.
func (l *link) again() error {
	var flushed [16]rdma.Completion
	for l.RecvCompletions().Poll(flushed[:]) > 0 {
	}
	err := l.Reset()
	for i := 0; err == nil && i < l.count-1; i++ {
		err = l.post(i)
	}
	return err
}

// next waits for a message. It posts the spare slot before it returns, because the caller may
// then cause the peer to send another message.
func (l *link) next(ctx context.Context) (mem.Slice, *rdma.Completion, error) {
	c, _, err := l.RecvCompletions().Wait(ctx, 1)
	switch {
	case err != nil:
		return mem.Slice{}, nil, err
	case c.Status == rdma.StatusFlushed:
		return mem.Slice{}, nil, l.cause(ctx)
	case c.Err() != nil:
		return mem.Slice{}, nil, c.Err()
	}
	i := l.spare
	l.spare = int(c.Cookie)
	return l.slot(l.spare).Slice(0, c.Length), &c, l.post(i)
}

// cause waits for the end of the connection and returns its cause.
func (l *link) cause(ctx context.Context) error {
	select {
	case <-l.conn.Context().Done():
		return context.Cause(l.conn.Context())
	case <-ctx.Done():
		return fmt.Errorf("the connection does not end: %w", context.Cause(ctx))
	}
}

// say sends a short message; hear waits for one.
func (l *link) say(ctx context.Context, text string) error {
	n := copy(l.out.Bytes(), text)
	return l.conn.Send(ctx, l.out.Slice(0, n))
}

func (l *link) hear(ctx context.Context) (string, error) {
	m, _, err := l.next(ctx)
	if err != nil {
		return "", err
	}
	return string(m.Bytes()), nil
}

// close frees everything.
func (l *link) close() {
	if l.conn != nil {
		l.conn.Close()
	}
	l.Endpoint.Close()
	l.slots.Free()
	l.out.Free()
	l.zone.Close()
}
