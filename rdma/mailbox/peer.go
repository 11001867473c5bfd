package mailbox

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// Peer is the sender of a message. It can be compared with ==, and be the key of a map.
type Peer struct {
	addr   net.Addr
	ctx    context.Context
	cancel context.CancelCauseFunc
	ep     *rdma.Endpoint
	watch  sync.Once
}

// Addr is the sender's address.
func (p *Peer) Addr() net.Addr { return p.addr }

// Context is cancelled when the connection to the sender has ended, with the cause.
func (p *Peer) Context() context.Context {
	p.watch.Do(func() { // the intake, which tells it otherwise, may be waiting for room
		if c := p.ep.Conn(); c != nil {
			context.AfterFunc(c.Context(), func() { p.cancel(context.Cause(c.Context())) })
		}
	})
	return p.ctx
}

// String is the address.
func (p *Peer) String() string { return p.addr.String() }

// peer is a connection of a mailbox.
type peer[T, R any] struct {
	Peer
	b         *Mailbox[T, R]
	near      *Sender[T, R] // if it is of this process; nil otherwise
	tag       int
	in        inbound
	window    int
	answerMax int
	most      int       // bytes of a message that the sender takes
	messages  int       // of the sender, that may be under way
	once      sync.Once // of takeDown
	share     share     // of the memory of answers; guarded by the outbox

	// Of the intake.
	receives int    // posted
	arrived  uint64 // values
	flight   flight // the messages with these
	handled  uint64 // of these
	reading  *large[T]
	held     backlog     // what waits for its turn, or behind the value that is read
	next     *peer[T, R] // whose turn is behind that of this one
	queued   bool        // it waits for its turn
	touched  bool
	over     bool
	leaving  bool // nothing follows the last message, or what tells the program
	broken   bool // it has not kept to the protocol, or could not be served: nothing further of it is taken

	mu       sync.Mutex
	placed   uint64          // values that the mailbox is done with
	acked    uint64          // as far as the sender has been told
	due      bool            // a Send waits to be told
	parted   bool            // nothing comes the short way any more
	parting  bool            // Close ends the connection, and has said so
	open     []atomic.Uint64 // asks that have not been answered, by the lower 16 bits of their id
	entering uint64          // the ask that waits for room, or has had it and is not counted yet; 0: none
	outgoing reply           // the message that has not left
	waits    bool            // it is in Mailbox.waiting
}

// accept answers the senders that dial.
func (b *Mailbox[T, R]) accept() {
	for r := range b.ln.Requests() {
		h, err := parseHello(r.PrivateData())
		switch {
		case err != nil:
			b.reject(r, err.Error())
		case h.values != hashOf(b.values.text) || h.answers != hashOf(b.answers.text):
			b.reject(r, b.text)
		default:
			if err := b.admit(r, h); err != nil {
				b.reject(r, err.Error())
			}
		}
	}
}

// reject answers with a text, as far as there is room.
func (b *Mailbox[T, R]) reject(r *rdma.ConnRequest, why string) {
	_ = r.Reject([]byte(why)[:min(len(why), b.adapter.Attributes().MaxPrivateData)])
}

// admit makes an endpoint for a sender, and accepts it. It does not wait for the sender.
func (b *Mailbox[T, R]) admit(r *rdma.ConnRequest, h *hello) error {
	p := &peer[T, R]{b: b, window: min(h.window, b.cfg.Window), answerMax: min(h.bytes, b.answers.max), open: make([]atomic.Uint64, min(h.asks, b.cfg.Asks))}
	if least := b.leastMessage(p.answerMax); h.message < least {
		return fmt.Errorf("the sender takes messages of %d bytes at most, where answers and reasons have up to %d", h.message, least)
	}
	record := headerSize + max(b.values.slot, mem.RemoteSize)
	messages, records := gathering(p.window, record)
	p.messages, p.most, p.flight = messages, min(h.message, maxGather), newFlight(messages)
	p.addr = r.RemoteAddr()
	p.meet(h.number)
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	if err := b.join(p, records*record); err != nil {
		p.cancel(err)
		return err
	}
	b.ends.Add(1)
	answer := hello{window: p.window, asks: len(p.open), bytes: b.values.max, slot: max(b.values.slot, 1),
		message: p.in.size, messages: messages}
	err := r.AcceptAsync(b.ctx, p.ep, rdma.ConnConfig{Private: answer.marshal(helloSize)}, func(_ *rdma.Conn, err error) {
		if err != nil {
			go func() { // the endpoint cannot be closed in here
				defer b.ends.Done()
				p.discard(err)
			}()
			return
		}
		b.ends.Done()
	})
	if err != nil {
		b.ends.Done()
		p.discard(err)
	}
	return err
}

// leastMessage is how long a message is that a sender must take whose answers have so many bytes at most,
// unless they are of a plain type.
func (b *Mailbox[T, R]) leastMessage(answer int) int {
	if b.answers.codec == nil {
		answer = b.answers.max
	}
	return headerSize + max(answer, maxReason)
}

// discard ends a peer that has not been accepted. The flushed receives come to the intake, which
// forgets it behind the last: until then their places in the queue and their memory are in use.
func (p *peer[T, R]) discard(err error) {
	p.cancel(err)
	_ = p.ep.Close()
}

// join gives the peer its place, its memory and its endpoint, with receives.
func (b *Mailbox[T, R]) join(p *peer[T, R], size int) (err error) {
	receives, sends := p.messages+1, p.sends()
	if err := b.intake.reserve(p.completions()); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		b.intake.release(p.completions())
		return net.ErrClosed
	}
	if most := b.cfg.MaxSenders; most != 0 && len(b.peers)-len(b.free) >= most {
		b.intake.release(p.completions())
		return fmt.Errorf("%d senders are connected, and it takes no more (Config.MaxSenders)", most)
	}
	if err := b.out.reserve(sends); err != nil {
		b.intake.release(p.completions())
		return err
	}
	if n := len(b.free); n > 0 {
		p.tag = b.free[n-1]
		b.free = b.free[:n-1]
	} else {
		p.tag = len(b.peers)
		b.peers = append(b.peers, nil)
	}
	p.ep, err = b.adapter.NewEndpoint(rdma.EndpointConfig{Zone: b.zone, RecvCQ: b.intake.recvs, SendCQ: b.out.sends,
		RecvDepth: receives, SendDepth: sends, ReadsOut: 1, ReadsIn: -1, Tag: uint64(p.tag)})
	if err == nil {
		p.in, err = b.slabs.take(b.zone, receives, size)
	}
	for i := 0; err == nil && i < receives; i++ {
		err = p.ep.PostRecv(rdma.Recv{Into: p.in.at(uint64(i)), Cookie: uint64(i)})
		p.receives++
	}
	if err != nil {
		p.takeDown()
		b.free = append(b.free, p.tag)
		return err
	}
	b.peers[p.tag] = p
	p.ep.Describe(p.describe)
	return nil
}

// sends is the depth of the queue of sends: twice what the sender may not have taken, because the
// adapter may report sends later than the sender reacts to them; less if the adapter has no more.
func (p *peer[T, R]) sends() int {
	n := p.window + len(p.open) + 3 // one of them is a read
	return max(n, min(2*n, p.b.adapter.Attributes().MaxSendDepth))
}

// completions is how many completions of receives the peer may have at a time, and that of a read.
func (p *peer[T, R]) completions() int { return p.messages + 2 }

// takeDown closes what join has made.
func (p *peer[T, R]) takeDown() {
	p.once.Do(func() {
		if p.ep != nil {
			_ = p.ep.Close()
		}
		if p.in.slab != nil {
			p.b.slabs.give(p.in)
		}
		p.b.out.drain()
		_ = p.b.out.reserve(-p.sends())
		p.b.intake.release(p.completions())
	})
}
