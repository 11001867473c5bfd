package rdma

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

// InboxConfig describes an inbox. The zero value is valid.
type InboxConfig struct {
	// Receives is the number of receives: those that are posted, those whose message
	// waits in Messages, and those whose message the program has not released. 0: 256, or
	// the adapter's limit if that is less.
	Receives int
	// Size is the longest message, in bytes. A longer one ends its connection. 0: 4096.
	Size int
}

// Inbox keeps receives posted, for one endpoint or for many ([EndpointConfig].Inbox), and
// hands out the messages as values. The receives are posted before any peer can send.
// Releasing a message posts its receive again, so the program itself posts none. An inbox
// is a shared receive queue with its own memory and its own completion queue (uDAPL: SRQ;
// uDAPL has nothing for the rest).
//
//	inbox, err := zone.NewInbox(rdma.InboxConfig{Receives: 512, Size: 1024})
//	…
//	for m := range inbox.Messages().C() {
//		if m.Err() == nil {
//			handle(m.Endpoint.Conn(), m.Bytes())
//		}
//		m.Release()
//	}
//
// An inbox does not announce the end of a connection: watch [Conn.Context], or take the
// events of [EndpointConfig].ConnEvents. If all receives are taken by messages that the
// program has not released, the next message waits for a receive, for at most
// [OpenConfig].ReceiveWait. All methods may be called concurrently.
type Inbox struct {
	zone     *Zone
	size     int
	region   *mem.Region
	srq      *SharedReceiveQueue
	cq       *CompletionQueue
	messages *event.Dispatcher[Message]
	// turns has a number for each receive, odd while the program has its message.
	turns []atomic.Uint32

	mu     sync.Mutex
	closed bool
}

// NewInbox creates an inbox and allocates its memory in the zone. ErrUnsupported if the
// adapter has no shared receive queues, ErrInvalid if a number is negative or exceeds the
// adapter's limit, ErrResources if there is no memory.
func (z *Zone) NewInbox(cfg InboxConfig) (*Inbox, error) {
	const op = "new inbox"
	b, err := z.newInbox(cfg)
	if err != nil {
		return nil, hca.Named(err, op, "of "+z.String())
	}
	if err := z.adapter.add(op, b); err != nil {
		b.end()
		return nil, err
	}
	return b, nil
}

func (z *Zone) newInbox(cfg InboxConfig) (_ *Inbox, err error) {
	if cfg.Receives, err = fill("Receives", cfg.Receives, 256, z.adapter.attr.MaxSRQWR); err != nil {
		return nil, err
	}
	if cfg.Size, err = fill("Size", cfg.Size, 4096, 0); err != nil {
		return nil, err
	}
	b := &Inbox{zone: z, size: cfg.Size, turns: make([]atomic.Uint32, cfg.Receives)}
	b.messages = event.New[Message](event.Config{Name: "messages of an inbox", Depth: cfg.Receives})
	defer func() {
		if err != nil {
			b.end()
		}
	}()
	if b.srq, err = z.NewSharedReceiveQueue(SharedReceiveConfig{Depth: cfg.Receives, Segments: 1}); err != nil {
		return nil, err
	}
	b.cq, err = z.adapter.NewCompletionQueue(CompletionQueueConfig{Depth: cfg.Receives, Sink: NewSink(b.messages, b.arrived)})
	if err != nil {
		return nil, err
	}
	if b.region, err = z.Alloc(cfg.Receives*cfg.Size, mem.Local); err != nil {
		return nil, err
	}
	for i := range b.turns {
		if err = b.post(i); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// arrived makes a message of a completion.
func (b *Inbox) arrived(m *Message, c *Completion) {
	*m = Message{Completion: *c, inbox: b, turn: b.turns[c.Cookie].Add(1)}
}

func (b *Inbox) post(i int) error {
	return b.srq.PostRecv(Recv{Into: b.slice(i), Cookie: uint64(i)})
}

func (b *Inbox) slice(i int) mem.Slice { return b.region.Slice(i*b.size, b.size) }

// Messages is the dispatcher of the messages, in the order of arrival on each connection.
// It also delivers a receive that failed, for instance because the message was longer
// than [InboxConfig].Size: see Completion.Err. The inbox closes it.
func (b *Inbox) Messages() *event.Dispatcher[Message] { return b.messages }

// Zone is the zone of the inbox and of all its endpoints.
func (b *Inbox) Zone() *Zone { return b.zone }

// Close closes the inbox and its dispatcher, and frees its memory, including that of
// messages that the program has not released. It fails with ErrInUse while endpoints use
// the inbox. Closing twice is harmless.
func (b *Inbox) Close() error {
	if err := b.srq.Close(); err != nil {
		return hca.Named(err, "close", "inbox of "+b.zone.String())
	}
	b.end()
	b.zone.adapter.remove(b)
	return nil
}

func (b *Inbox) kind() string { return kindInbox }

// end gives back what the inbox has. It has no users any more.
func (b *Inbox) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.closed = true
	if b.cq != nil {
		b.cq.Close()
	}
	b.messages.Close()
	if b.srq != nil {
		b.srq.Close()
	}
	if b.region != nil {
		b.region.Free()
	}
}
