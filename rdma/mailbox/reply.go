package mailbox

import (
	"errors"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// reply is a message of the mailbox to a sender, with one record or several, that has not left.
type reply struct {
	slot   mem.Slice
	b      []byte // its memory
	number uint64 // of the slot
	used   int    // bytes; 0: there is no message
}

// gathers reports whether an answer may wait for those behind it: there are further messages in the
// mailbox or in the program's batch, so it is likely to answer soon, and flushing does not wait for that.
func (b *Mailbox[T, R]) gathers() bool {
	return (b.rest.Load() > 0 || len(b.queue) > 0) && !b.draining.Load()
}

// room makes room for a record of so many bytes. If it is to wait for others, there is room for some of
// these, too, if the memory has it. The caller holds mu.
func (p *peer[T, R]) room(bytes int, wait bool, owner *share) (err error) {
	o := &p.outgoing
	if o.used > 0 && len(o.b)-o.used >= bytes {
		return nil
	}
	if err := p.depart(); err != nil {
		return err
	}
	if wait && p.most > bytes {
		if o.slot, o.b, o.number, err = p.b.out.take(p.most, owner); err == nil {
			o.b = o.b[:p.most]
			return nil
		}
	}
	if o.slot, o.b, o.number, err = p.b.out.take(bytes, owner); err == nil {
		o.b = o.b[:bytes]
	}
	return err
}

// record puts a record of so many bytes, whose body is in its place, behind those that have not left. It
// tells what has been placed so far, and an answer its own ask, too. It leaves at once, with those before
// it, unless it may wait. The caller holds mu, and has called room.
func (p *peer[T, R]) record(h header, wait bool) error {
	early := (h.kind == kindAnswer || h.kind == kindDecline) && h.id == p.entering
	if early || h.kind == kindRefused {
		p.placed++ // here, so that no other message tells a refused value before the refusal
	}
	h.placed = p.placed
	o := &p.outgoing
	h.put(o.b[o.used:])
	o.used += headerSize + h.length
	if early {
		p.entering = 0
	}
	p.acked, p.due = p.placed, false
	if wait {
		p.wait()
		return nil
	}
	return p.depart()
}

// depart sends the records that have not left. The caller holds mu.
func (p *peer[T, R]) depart() error {
	o := p.outgoing
	p.outgoing = reply{}
	if o.used == 0 {
		return nil
	}
	if p.parting { // a post would be refused, and an end behind that would lose what was said before
		p.b.out.give(o.number)
		return errClosed
	}
	send := rdma.Send{From: o.slot.Slice(0, o.used), Cookie: o.number, Flags: rdma.NoWake} // nobody waits for the completion
	err := p.ep.PostSend(send)
	if errors.Is(err, rdma.ErrQueueFull) {
		p.b.out.drain()
		err = p.ep.PostSend(send)
	}
	if err != nil {
		p.b.out.give(o.number)
		_ = p.ep.Abort() // the sender must not wait for what it does not get
	}
	return err
}

// wait lets the message leave when the program has had its turn. The caller holds mu.
func (p *peer[T, R]) wait() {
	if p.waits {
		return
	}
	p.waits = true
	p.b.waitMu.Lock()
	p.b.waiting = append(p.b.waiting, p)
	p.b.waitMu.Unlock()
	if p.b.intake.soon.Load() {
		return // the next call lets it leave, or the watch
	}
	select {
	case p.b.flush <- struct{}{}:
	default:
	}
}

// flushing sends the answers that wait, unless a call is expected soon. It is a goroutine, so what waits leaves when the
// program does not run, as it has no more messages or has run for long, or when a processor is free.
func (b *Mailbox[T, R]) flushing() {
	for {
		select {
		case <-b.flush:
			b.departAll()
		case <-b.ctx.Done():
			b.departAll()
			return
		}
	}
}

// settle sends all that waits. What is answered from here on does not wait for the next call of the program.
func (b *Mailbox[T, R]) settle() {
	b.intake.soon.Store(false)
	b.departAll()
}

// departAll sends all that waits.
func (b *Mailbox[T, R]) departAll() {
	b.using.RLock()
	defer b.using.RUnlock()
	if b.gone {
		return
	}
	b.waitMu.Lock()
	turn := b.waiting
	b.waiting, b.turn = b.turn[:0], nil
	b.waitMu.Unlock()
	for i, p := range turn {
		p.mu.Lock()
		p.waits = false
		_ = p.depart() // the connection tells
		p.mu.Unlock()
		turn[i] = nil
	}
	b.waitMu.Lock()
	b.turn = turn
	b.waitMu.Unlock()
}

// frame sends the peer a record of the mailbox itself, at once.
func (p *peer[T, R]) frame(k kind, id uint64, reason string) error {
	reason = reason[:min(len(reason), maxReason)]
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.room(headerSize+len(reason), false, nil); err != nil {
		return err
	}
	n := copy(p.outgoing.b[p.outgoing.used+headerSize:], reason)
	return p.record(header{kind: k, length: n, id: id}, false)
}

// plain sends an answer of a plain type. The caller holds mu.
func (p *peer[T, R]) plain(answer *R, ask uint64) error {
	bytes := headerSize + p.b.answers.max
	wait := p.b.gathers()
	if err := p.room(bytes, wait, &p.share); err != nil {
		return err
	}
	o := &p.outgoing
	n, _, _ := p.b.answers.put(o.b[o.used+headerSize:o.used+bytes], answer) // no error, as it is plain and has room
	return p.record(header{kind: kindAnswer, length: n, id: ask}, wait && len(o.b)-o.used >= 2*bytes)
}

// encoded sends an answer that a codec has made, in a slot whose memory is b.
func (p *peer[T, R]) encoded(h header, slot mem.Slice, b []byte, number uint64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if bytes := headerSize + h.length; bytes <= p.most/2 {
		wait := p.b.gathers()
		if wait || p.outgoing.used > 0 {
			if err := p.room(bytes, wait, &p.share); err == nil {
				o := &p.outgoing
				copy(o.b[o.used+headerSize:], b[headerSize:bytes])
				p.b.out.give(number)
				return p.record(h, wait)
			}
		}
	}
	if err := p.depart(); err != nil {
		p.b.out.give(number)
		return err
	}
	p.outgoing = reply{slot: slot, b: b, number: number}
	return p.record(h, false)
}
