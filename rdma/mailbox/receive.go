package mailbox

import (
	"context"
	"fmt"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
)

// A group is senders whose values come through one completion queue. A queue that a goroutine waits
// on cannot be made deeper, so more senders are further groups, each as large as all before.
type group[T, R any] struct {
	b       *Mailbox[T, R]
	recvs   *rdma.CompletionQueue
	free    int           // places for senders; guarded by Mailbox.mu
	touched []*peer[T, R] // have got values since the last acknowledgement
	shut    bool          // the mailbox is closed, and a message had no room
}

// firstGroup is how many senders the first group has.
const firstGroup = 32

// group finds a group with a place, or makes one. The caller holds mu.
func (b *Mailbox[T, R]) group() (*group[T, R], error) {
	for _, g := range b.groups {
		if g.free > 0 {
			return g, nil
		}
	}
	size := max(firstGroup, len(b.peers))
	recvs, err := b.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: size * (b.cfg.Window + 2)}) // receives, and a read
	if err != nil {
		return nil, err
	}
	g := &group[T, R]{b: b, recvs: recvs, free: size}
	b.groups = append(b.groups, g)
	b.work.Go(hca.Labeled(b.adapter.Name(), "mailbox", g.receive))
	return g, nil
}

// receive moves values from the slots of the senders into the mailbox. It is a goroutine, since
// the program need not take messages. If the mailbox is full, it waits for room: what else arrives
// stays in the slots, and what the windows do not allow stays with the senders.
func (g *group[T, R]) receive() {
	var batch [64]rdma.Completion
	for cs, err := range g.recvs.Dispatcher().Drain(g.b.ctx, batch[:]) {
		if err != nil {
			return
		}
		for i := range cs {
			g.arrived(&cs[i])
			if g.shut {
				return // what follows must not be placed either
			}
		}
		g.acknowledge()
	}
}

func (g *group[T, R]) arrived(c *rdma.Completion) {
	g.b.mu.Lock()
	p := g.b.peers[c.Endpoint.Tag()]
	g.b.mu.Unlock()
	if p == nil || p.ep != c.Endpoint {
		return // of a connection that was not established
	}
	switch {
	case c.Op == rdma.OpRead: // of read
		p.finish()
	case c.Status != rdma.StatusOK:
		p.receives--
		p.over = true
	default:
		p.receives--
		p.check(c.Cookie, c.Length)
		if p.reading != nil {
			p.held = append(p.held, held{c.Cookie, 0, c.Length})
		} else {
			p.handle(held{c.Cookie, 0, c.Length})
		}
	}
	if p.over && p.receives == 0 && p.reading == nil && !g.shut {
		p.gone()
	}
}

// check counts the values of a message that has arrived, against the window, and the message. All
// records of a sender are values.
func (p *peer[T, R]) check(cookie uint64, length int) {
	message, _ := p.in.message(uint32(cookie), length)
	values := uint64(0)
	for len(message) > 0 {
		values++
		var err error
		if _, _, message, err = parse(message); err != nil {
			break // handle tells
		}
	}
	p.arrived += values
	p.mu.Lock()
	p.flight.done(p.acked)
	full, beyond := p.flight.full(), p.arrived-p.acked > uint64(p.window)
	p.mu.Unlock()
	if !full {
		p.flight.add(p.arrived)
	}
	if p.ctx.Err() != nil {
		return
	}
	if beyond {
		p.breakOff(fmt.Errorf("%w: more than %d values at a time", ErrProtocol, p.window))
	} else if full {
		p.breakOff(fmt.Errorf("%w: more than %d messages at a time", ErrProtocol, p.messages))
	}
}

// handle takes the values out of a message, up to a large one that has to be read first. When it has
// taken the last, the slot is used again.
func (p *peer[T, R]) handle(m held) {
	if message, ok := p.in.message(uint32(m.cookie), m.length); ok {
		for rest := message[m.from:]; ; {
			var err error
			if rest, err = p.take(rest); err != nil {
				p.breakOff(err)
				break
			}
			if len(rest) == 0 || p.group.shut {
				break
			}
			if p.reading != nil {
				m.from = len(message) - len(rest)
				p.held = append(p.held, m)
				copy(p.held[1:], p.held)
				p.held[0] = m // before those that have arrived since
				return
			}
		}
		if p.ep.PostRecv(rdma.Recv{Into: p.in.at(uint32(m.cookie)), Cookie: m.cookie}) == nil {
			p.receives++
		}
	}
}

// take handles the first record of a message, and returns those behind it. An error says that the
// sender does not keep to the protocol.
func (p *peer[T, R]) take(message []byte) (rest []byte, err error) {
	if p.ctx.Err() != nil {
		return nil, nil // it has not kept to it before
	}
	h, body, rest, err := parse(message)
	if err != nil {
		return nil, err
	}
	p.handled++
	m := Message[T, R]{peer: p}
	switch h.kind {
	case kindValue, kindLargeValue:
	case kindAsk, kindLargeAsk:
		if h.id == 0 || h.id&handed != 0 || int(h.id&0xffff) >= len(p.open) || p.open[h.id&0xffff].Load() != 0 {
			return nil, fmt.Errorf("%w: ask %#x, where %d may wait", ErrProtocol, h.id, len(p.open))
		}
		m.ask = h.id
	default:
		return nil, fmt.Errorf("%w: kind %d from a sender", ErrProtocol, h.kind)
	}
	if h.kind >= kindLargeValue {
		return rest, p.begin(m.ask, body)
	}
	if err := p.b.values.get(&m.Value, body); err != nil {
		return rest, p.frame(kindRefused, p.handled, err.Error())
	}
	if p.in.region.Freed() {
		return nil, nil // the adapter has been closed meanwhile, and the memory may have read as zeros
	}
	p.enter(m)
	return rest, nil
}

// gone is called when the last completion of a connection has been taken.
func (p *peer[T, R]) gone() {
	cause := error(rdma.ErrDisconnected)
	if c := p.ep.Conn(); c != nil {
		<-c.Context().Done() // follows the last completion
		cause = context.Cause(c.Context())
	}
	p.cancel(cause)
	p.leave()
	if p.b.cfg.Down && (p.handled > 0 || p.ep.Conn() != nil) { // otherwise nobody knows it
		p.group.place(Message[T, R]{peer: p, down: context.Cause(p.ctx)})
	}
	p.b.forget(p)
}
