package mailbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// large is a value that the mailbox reads from the sender's memory.
type large[T any] struct {
	ask     uint64
	from    mem.Remote
	value   T
	refusal error // why the value is not one of T
	err     error // why there is no value
	read    bool  // it is here, or err; of the intake
}

// begin lets the value be read that a message describes; finish continues. The length is checked
// before memory is taken.
func (p *peer[T, R]) begin(ask uint64, body []byte) error {
	l := &large[T]{ask: ask}
	if err := l.from.UnmarshalBinary(body); err != nil || len(body) != mem.RemoteSize || l.from.Length == 0 {
		return fmt.Errorf("%w: %d bytes that describe no memory, or none of its bytes: %x", ErrProtocol, len(body), body[:min(len(body), mem.RemoteSize)])
	}
	if !p.b.values.fits(l.from.Length) {
		return p.frame(kindRefused, p.handled, fmt.Sprintf("a value of %d bytes, where %d is the limit", l.from.Length, p.b.values.max))
	}
	p.reading = l
	p.b.large.take(int(l.from.Length), func() {
		if p.b.ctx.Err() == nil { // otherwise nothing is placed any more
			p.b.work.Go(labeled(p.b.adapter.Name(), func() { p.read(l) }))
		}
	})
	return nil
}

// read fetches the value, and tells the intake. It is a goroutine, one for each value under way.
func (p *peer[T, R]) read(l *large[T]) {
	l.err = p.fetch(l)
	// The queue has a place for it.
	_ = p.b.intake.recvs.Dispatcher().Post(rdma.Completion{Endpoint: p.ep, Op: rdma.OpRead})
}

func (p *peer[T, R]) fetch(l *large[T]) error {
	conn := p.ep.Conn()
	if conn == nil {
		return rdma.ErrDisconnected
	}
	rights := mem.LocalWrite
	if conn.Caps().ReadNeedsRemoteWrite {
		rights |= mem.RemoteWrite
	}
	b := make([]byte, l.from.Length)
	region, err := p.b.zone.Register(b, rights)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(p.b.reads, p.b.cfg.LargeTimeout)
	defer cancel()
	_, err = conn.Read(ctx, region.All(), l.from)
	if freed := region.Free(); err == nil { // from here on nobody can change the bytes
		err = freed
	}
	if err == nil {
		l.refusal = p.b.values.get(&l.value, b)
	}
	return err
}

// finish takes the value that has been read into the mailbox.
func (p *peer[T, R]) finish() {
	l := p.reading
	p.reading = nil
	switch {
	case p.broken: // it has not kept to the protocol meanwhile
	case l.err != nil:
		p.breakOff(fmt.Errorf("mailbox: a value could not be read from the sender's memory: %w", l.err))
	case l.refusal != nil:
		if err := p.frame(kindRefused, p.handled, l.refusal.Error()); err != nil {
			p.breakOff(err)
		}
	default:
		p.enter(&Message[T, R]{Value: l.value, peer: p, ask: l.ask})
	}
	p.b.large.give(int(l.from.Length)) // not before, so that what waits for room in the mailbox counts
}

// breakOff ends the connection of a sender. Nothing further of it is taken.
func (p *peer[T, R]) breakOff(err error) {
	p.b.intake.acknowledge()
	if c := p.ep.Conn(); c != nil && !errors.Is(err, ErrProtocol) && c.Context().Err() != nil {
		err = context.Cause(c.Context()) // the connection had ended before
	}
	p.broken = true
	p.cancel(err)
	_ = p.ep.Abort()
}
