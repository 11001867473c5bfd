package mailbox

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/godapl/godapl/rdma"
)

// receive moves values from the slots of the senders into the mailbox. It is a goroutine, since
// the program need not take messages. If the mailbox is full, it waits for room: what else arrives
// stays in the slots, and what the windows do not allow stays with the senders.
func (g *intake[T, R]) receive() {
	defer close(g.ended)
	for {
		for g.wanted.Load() > 0 && !g.never.Load() { // also behind standby: a call may have missed that this goroutine leads
			g.standby()
		}
		n, err := g.wait(g.batch[:])
		if err != nil {
			if g.b.ctx.Err() == nil { // the adapter has been closed: the program would wait for ever
				go labeled(g.b.adapter.Name(), func() { _ = g.b.Close() })() // which waits for this goroutine
			}
			return
		}
		if g.round(n); g.shut {
			return
		}
	}
}

// round handles completions of the batch, and what has waited.
func (g *intake[T, R]) round(n int) {
	for len(g.leavers) > 0 && !g.shut && (!g.called || g.room() > 0) {
		p := g.leavers[0]
		g.leavers = slices.Delete(g.leavers, 0, 1)
		p.gone()
	}
	for i := range g.batch[:n] {
		g.arrived(&g.batch[i])
		if g.shut {
			return // what follows must not be placed either
		}
	}
	if g.turn(); g.shut {
		return
	}
	if g.first == nil && len(g.touched) > 0 {
		g.acknowledge()
		g.yield = true
	}
	g.serveCall()
}

// wait takes completions. It does not wait for them while a sender has its turn.
func (g *intake[T, R]) wait(batch []rdma.Completion) (int, error) {
	d := g.recvs.Dispatcher()
	if err := g.b.ctx.Err(); err != nil {
		return 0, err
	}
	if g.first != nil || len(g.leavers) > 0 {
		return d.Poll(batch), nil
	}
	if g.b.crowd.Load() {
		g.b.crowd.Store(false)
		if n := d.Poll(batch); n > 0 {
			g.b.crowd.Store(true)
			return n, nil
		}
	}
	if g.yield {
		// The program that has got a value runs first, on this processor: the wait begins with looks, and would keep
		// it from running until another processor has taken it over.
		g.yield = false
		runtime.Gosched()
	}
	return d.WaitBatch(g.b.ctx, batch)
}

func (g *intake[T, R]) arrived(c *rdma.Completion) {
	if c.Endpoint == nil {
		return // of do
	}
	g.b.mu.Lock()
	p := g.b.peers[c.Endpoint.Tag()]
	g.b.mu.Unlock()
	if p == nil || p.ep != c.Endpoint {
		return // of a connection that was not established
	}
	switch {
	case c.Op == rdma.OpRead: // of read
		p.reading.read = true
		g.queue(p)
	case c.Status != rdma.StatusOK:
		p.receives--
		p.over = true
		if c.Status == rdma.StatusLocalEndpoint { // it was not posted, so the connection goes on without it
			p.breakOff(unposted(c.Err()))
		}
	default:
		p.receives--
		if c.Op == rdma.OpRecvWriteImm {
			c.Length = 0 // nothing is in the receive but what an earlier message has left, so the peer has sent no record
		}
		p.check(c.Cookie, c.Length)
		first := p.reading == nil && p.held.empty() && !g.crowded()
		p.held.push(held{c.Cookie, 0, c.Length})
		if first {
			g.serve(p, 1) // it does not wait for room while there are other completions in hand
		} else {
			g.queue(p)
		}
	}
	p.ended()
}

// ended is for a peer from which nothing more may come.
func (p *peer[T, R]) ended() {
	g := &p.b.intake
	if !p.over || p.leaving || p.receives > 0 || p.reading != nil || !p.held.empty() || g.shut {
		return
	}
	p.leaving = true
	if g.called && g.room() == 0 {
		g.leavers = append(g.leavers, p)
	} else {
		p.gone()
	}
}

// check counts the values of a message that has arrived, against the window, and the message. All
// records of a sender are values.
func (p *peer[T, R]) check(cookie uint64, length int) {
	message, _ := p.in.message(cookie, length)
	p.arrived += records(message)
	p.mu.Lock()
	p.flight.done(p.acked)
	full, beyond := p.flight.full(), p.arrived-p.acked > uint64(p.window)
	p.mu.Unlock()
	if !full {
		p.flight.add(p.arrived)
	}
	if p.broken {
		return
	}
	if beyond {
		p.breakOff(fmt.Errorf("%w: more than %d values at a time", ErrProtocol, p.window))
	} else if full {
		p.breakOff(fmt.Errorf("%w: more than %d messages at a time", ErrProtocol, p.messages))
	}
}

// handle takes the values out of a message, up to a large one that has to be read first, and up to the last
// one of a turn, if others wait for theirs. It returns where it has stopped, in the message; false if it
// has taken the last. Then the slot is used again.
func (p *peer[T, R]) handle(m held) (from int, more bool) {
	if message, ok := p.in.message(m.cookie, m.length); ok {
		for rest := message[m.from:]; ; {
			var err error
			if rest, err = p.take(rest); err != nil {
				p.breakOff(err)
				break
			}
			if p.b.intake.left--; len(rest) == 0 || p.b.intake.shut {
				break
			}
			if p.reading != nil || p.b.intake.left <= 0 && p.b.intake.crowded() {
				return len(message) - len(rest), true
			}
		}
		if err := p.ep.PostRecv(rdma.Recv{Into: p.in.at(m.cookie), Cookie: m.cookie}); err == nil {
			p.receives++
		} else if err = unposted(err); err != nil { // with a receive less, both sides could wait for each other
			p.breakOff(err)
		}
	}
	return 0, false
}

// take handles the first record of a message, and returns those behind it. An error says that the
// sender does not keep to the protocol.
func (p *peer[T, R]) take(message []byte) (rest []byte, err error) {
	if p.broken {
		return nil, nil // it has not kept to it before
	}
	h, end := parse(message)
	if end == 0 {
		return nil, noRecord(message)
	}
	body, rest := message[headerSize:end:end], message[end:]
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
	if p.in.freed() {
		return nil, nil // the adapter has been closed meanwhile, and the memory may have read as zeros
	}
	p.enter(&m)
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
		p.b.intake.place(&Message[T, R]{peer: p, down: context.Cause(p.ctx)})
	}
	p.b.forget(p)
}
