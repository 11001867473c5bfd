package rsocket

import (
	"github.com/godapl/godapl/internal/rsock"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/internal/stream"
	"github.com/godapl/godapl/rdma/mem"
)

// tableSize is what the table takes of the memory that the peer may write.
const tableSize = 128

// link is what a connection needs of the adapter, with receives posted, before it is connected.
// The zone is its own, so that a peer's keys reach nothing but this connection.
type link struct {
	cfg    Config
	zone   *rdma.Zone
	cq     *rdma.CompletionQueue
	events *event.Dispatcher[stream.Event]
	ep     *rdma.Endpoint

	// open is memory that the peer may write: the table and the first two halves.
	open   *mem.Region
	table  mem.Slice
	halves [rsock.Entries]mem.Slice
	// shut is memory that no peer has access to: receives, messages and entries to be sent.
	shut     *mem.Region
	receives mem.Slice
	messages mem.Slice
	entries  mem.Slice
}

// newLink builds a link. On an error nothing is left.
func newLink(a *rdma.Adapter, cfg Config) (*link, error) {
	l := &link{cfg: cfg}
	if err := l.build(a); err != nil {
		l.free()
		return nil, err
	}
	return l, nil
}

func (l *link) build(a *rdma.Adapter) (err error) {
	depth := l.cfg.Messages + spare
	l.events = event.New[stream.Event](event.Config{Name: "rsocket", Burst: l.cfg.Burst, Depth: depth + sendDepth + 8})
	if l.zone, err = a.NewZone(); err != nil {
		return err
	}
	if l.cq, err = a.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: depth + sendDepth, Sink: rdma.NewSink(l.events, stream.Completed)}); err != nil {
		return err
	}
	if l.ep, err = a.NewEndpoint(rdma.EndpointConfig{
		Zone: l.zone, SendDepth: sendDepth, RecvDepth: depth, SendSegments: 1, RecvSegments: 1, ReadsOut: -1,
		SendCQ: l.cq, RecvCQ: l.cq, ConnEvents: rdma.NewSink(l.events, stream.Changed),
	}); err != nil {
		return err
	}
	if err = l.allocate(depth); err != nil {
		return err
	}
	for i := range depth {
		if err = l.ep.PostRecv(rdma.Recv{Into: l.receive(uint64(i)), Cookie: uint64(i)}); err != nil {
			return err
		}
	}
	return nil
}

func (l *link) allocate(depth int) (err error) {
	if l.open, err = l.zone.Alloc(l.cfg.Ring, mem.Local|mem.RemoteWrite); err != nil {
		return err
	}
	half := (l.cfg.Ring - tableSize) / rsock.Entries &^ 63
	l.table = l.open.Slice(0, rsock.Entries*rsock.EntrySize)
	for i := range l.halves {
		l.halves[i] = l.open.Slice(tableSize+i*half, half)
	}
	at := []int{depth * rsock.MessageSize, messageDepth * rsock.MessageSize, controlDepth * rsock.EntrySize}
	if l.shut, err = l.zone.Alloc(at[0]+at[1]+at[2]+rsock.EntrySize, mem.Local); err != nil {
		return err
	}
	l.entries = l.shut.Slice(0, at[2])
	l.messages = l.shut.Slice(at[2], at[1])
	l.receives = l.shut.Slice(at[2]+at[1], at[0])
	return nil
}

// receive is the memory of a receive: four bytes, which immediate data leaves unused. What kind
// of connection it will be is not known yet.
func (l *link) receive(i uint64) mem.Slice {
	return l.receives.Slice(int(i)*rsock.MessageSize, rsock.MessageSize)
}

// hello is the private data of this side.
func (l *link) hello(flags uint8) []byte {
	h := rsock.Hello{Flags: rsock.HasIOMap | flags, Credits: uint16(l.cfg.Messages), Table: entryOf(l.table), Half: entryOf(l.halves[0])}
	h.Table.Length = rsock.Entries
	return h.Append(nil)
}

// entryOf names memory for the peer.
func entryOf(s mem.Slice) rsock.Entry {
	r := s.Remote()
	return rsock.Entry{Addr: r.Addr, Key: uint32(r.Key), Length: uint32(r.Length)}
}

// free ends whatever there is. Nobody may be using it.
func (l *link) free() {
	if l.ep != nil {
		_ = l.ep.Close()
	}
	if l.cq != nil {
		_ = l.cq.Close()
	}
	for _, r := range []*mem.Region{l.open, l.shut} {
		if r != nil {
			_ = r.Free()
		}
	}
	if l.zone != nil {
		_ = l.zone.Close()
	}
	_ = l.events.Close()
}
