package ping

import (
	"context"
	"fmt"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// A line carries the messages of one connection, each of adSize bytes.
type line struct {
	*rdma.Endpoint
	conn *rdma.Conn // once there is one
	buf  *mem.Region
}

// The places in buf: one for what is sent, the others for what is received.
func (l *line) outgoing() mem.Slice      { return l.buf.Slice(0, adSize) }
func (l *line) place(i uint64) mem.Slice { return l.buf.Slice(adSize*int(1+i), adSize) }

// newLine makes an endpoint with receives posted: a message that finds none
// breaks the connection on most devices. One read at a time is what the C program
// has; some peers take the numbers of both sides for binding.
func newLine(adapter *rdma.Adapter, zone *rdma.Zone) (*line, error) {
	const places = 2
	buf, err := zone.Alloc((1+places)*adSize, mem.Local)
	if err != nil {
		return nil, err
	}
	l := &line{buf: buf}
	l.Endpoint, err = adapter.NewEndpoint(rdma.EndpointConfig{Zone: zone, ReadsIn: 1, ReadsOut: 1})
	for i := uint64(0); err == nil && i < places; i++ {
		err = l.PostRecv(rdma.Recv{Into: l.place(i), Cookie: i})
	}
	if err != nil {
		if l.Endpoint != nil {
			l.Close()
		}
		buf.Free()
		return nil, err
	}
	return l, nil
}

// sendAd tells the peer where memory is.
func (l *line) sendAd(ctx context.Context, r mem.Remote) error {
	putAd(l.outgoing().Bytes(), r)
	return l.conn.Send(ctx, l.outgoing())
}

// sendGo tells the peer to go on. What it says does not matter.
func (l *line) sendGo(ctx context.Context) error { return l.sendAd(ctx, mem.Remote{}) }

// receive waits for a message and posts its receive again.
func (l *line) receive(ctx context.Context) (message [adSize]byte, err error) {
	c, _, err := l.RecvCompletions().Wait(ctx, 1)
	switch {
	case err != nil:
		return message, err
	case c.Status == rdma.StatusFlushed: // the connection has ended, and knows why
		<-l.conn.Context().Done()
		return message, context.Cause(l.conn.Context())
	case c.Err() != nil:
		return message, c.Err()
	case c.Length != adSize:
		return message, fmt.Errorf("a message of %d bytes instead of %d: is the peer an rping?", c.Length, adSize)
	}
	copy(message[:], l.place(c.Cookie).Bytes())
	return message, l.PostRecv(rdma.Recv{Into: l.place(c.Cookie), Cookie: c.Cookie})
}
