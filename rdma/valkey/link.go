package valkey

import (
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/internal/stream"
	"github.com/godapl/godapl/rdma/mem"
)

// link is what a connection needs of the adapter, with receives posted, before it is connected.
// The zone is its own, so that a peer's keys reach nothing but this connection.
type link struct {
	cfg    Config
	zone   *rdma.Zone
	cq     *rdma.CompletionQueue
	events *event.Dispatcher[stream.Event]
	ep     *rdma.Endpoint

	buffer *mem.Region // what the peer may write
	// shut is memory that no peer has access to: messages that arrive, and those to be sent.
	shut *mem.Region
}

// newLink builds a link. On an error nothing is left.
func newLink(a *rdma.Adapter, cfg Config) (*link, error) {
	if !a.Attributes().Caps.WriteImmediate {
		return nil, noImmediate("the adapter " + a.Name())
	}
	l := &link{cfg: cfg}
	if err := l.build(a); err != nil {
		l.free()
		return nil, err
	}
	return l, nil
}

func (l *link) build(a *rdma.Adapter) (err error) {
	depth := l.cfg.Receives
	l.events = event.New[stream.Event](event.Config{Name: network, Burst: l.cfg.Burst, Depth: depth + sendDepth + 8})
	if l.zone, err = a.NewZone(); err != nil {
		return err
	}
	if l.cq, err = a.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: depth + sendDepth, Sink: rdma.NewSink(l.events, stream.Completed)}); err != nil {
		return err
	}
	if l.ep, err = a.NewEndpoint(rdma.EndpointConfig{
		Zone: l.zone, SendDepth: sendDepth, RecvDepth: depth, SendSegments: 1, RecvSegments: 1, ReadsOut: -1, ReadsIn: -1,
		SendCQ: l.cq, RecvCQ: l.cq, ConnEvents: rdma.NewSink(l.events, stream.Changed),
	}); err != nil {
		return err
	}
	if l.buffer, err = l.zone.Alloc(l.cfg.Buffer, mem.Local|mem.RemoteWrite); err != nil {
		return err
	}
	if l.shut, err = l.zone.Alloc((depth+controlDepth)*messageSize, mem.Local); err != nil {
		return err
	}
	for i := range depth {
		if err = l.ep.PostRecv(rdma.Recv{Into: l.receive(uint64(i)), Cookie: uint64(i)}); err != nil {
			return err
		}
	}
	return nil
}

// receive is the memory of a receive, which a write with immediate data leaves unused.
func (l *link) receive(i uint64) mem.Slice {
	return l.shut.Slice((controlDepth+int(i))*messageSize, messageSize)
}

// control is the memory of a message that is sent. There are as many as may be under way.
func (l *link) control(i int) mem.Slice {
	return l.shut.Slice(i%controlDepth*messageSize, messageSize)
}

// free ends whatever there is. Nobody may be using it.
func (l *link) free() {
	if l.ep != nil {
		_ = l.ep.Close()
	}
	if l.cq != nil {
		_ = l.cq.Close()
	}
	for _, r := range []*mem.Region{l.buffer, l.shut} {
		if r != nil {
			_ = r.Free()
		}
	}
	if l.zone != nil {
		_ = l.zone.Close()
	}
	_ = l.events.Close()
}
