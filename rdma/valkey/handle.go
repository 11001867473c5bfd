package valkey

import (
	"errors"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/internal/stream"
)

var bytesOf = stream.Bytes

// handle takes events in. The caller holds mu.
func (c *Conn) handle(events []stream.Event) {
	for i := range events {
		e := &events[i]
		if e.Back {
			c.receives--
		}
		switch e.Kind {
		case stream.Looked:
			c.sides.Called()
		case stream.Posted:
			c.done(e.Cookie)
		case stream.Arrived, stream.Counted, stream.Foreign:
			c.received(e)
		case stream.Failed:
			c.fail(e.Err)
		case stream.Ended:
			c.down, c.cause = true, stream.Cause(c.l.ep, e.Err)
			c.sides.WakeBoth()
		}
		e.Err = nil
	}
	if c.over() {
		c.sides.Wake(&c.sides.In)
	}
	c.repost()
	c.update()
	if c.tx.gather() == 0 {
		c.flush()
	}
}

// received takes what the peer has sent.
func (c *Conn) received(e *stream.Event) {
	if errors.Is(c.err, ErrProtocol) { // behind another failure the program still reads what has arrived
		return
	}
	c.tx.unserved = 0
	c.again = append(c.again, e.Cookie)
	var err error
	switch e.Kind {
	case stream.Counted:
		err = c.rx.add(e.Number, int(e.Length))
		if c.served++; c.server && c.served >= gatherAfter {
			c.due |= dueBeat // the client gathers, and may wait for the answer to what it has gathered
		}
		c.sides.Wake(&c.sides.In)
	case stream.Arrived:
		err = c.control(e)
	default:
		err = protocolError("its operation was " + e.Op.String())
	}
	if err != nil {
		c.fail(err)
	}
}

// control does what a message says.
func (c *Conn) control(e *stream.Event) error {
	place := c.l.receive(e.Cookie)
	b, err := bytesOf(place)
	if err != nil {
		return err
	}
	m, err := parse(b, int(e.Length))
	if _, gone := bytesOf(place); gone != nil { // the adapter was closed meanwhile, so these may be zeros
		return gone
	}
	switch {
	case err != nil:
		return err
	case m.op == register:
		c.sides.Wake(&c.sides.Out)
		return c.tx.register(m)
	case m.op == getFeatures && c.server:
		c.due, c.group = c.due|dueAnswer, m.group
	case m.op == getFeatures && !c.answered && c.due&dueQuestion == 0 && m.group == 0:
		c.answered, c.features = true, m.features
		c.due |= dueChoice
	case m.op == getFeatures:
		return protocolError("it tells features that it was not asked for")
	case m.op == setFeatures && !c.server:
		return protocolError("a server chooses features")
	}
	return nil
}

// repost posts the receives again whose messages have been taken.
func (c *Conn) repost() {
	if !c.ending() {
		for _, i := range c.again {
			if err := c.rc.PostRecv(rdma.Recv{Into: c.l.receive(i), Cookie: i}); err != nil {
				c.fail(err)
				break
			}
			c.receives++
		}
	}
	c.again = c.again[:0]
}

// ending reports whether nothing is sent or received any more, although the end may not be over.
func (c *Conn) ending() bool { return c.closed || c.down || c.err != nil }

// over reports whether the connection has ended and all that has arrived was taken. A device tells of the
// end beside its completions, so it may come before those of the last messages; but the receives that
// no message has taken come back behind them.
func (c *Conn) over() bool {
	return c.down && (c.receives == 0 || errors.Is(c.cause, rdma.ErrClosed))
}

// fail ends the connection because of an error, of which the first counts.
func (c *Conn) fail(err error) {
	if c.err != nil || c.down || c.closed {
		return
	}
	if !errors.Is(err, ErrProtocol) {
		err = stream.Reset(err)
	}
	c.err = err
	_ = c.rc.BeginShutdown()
	c.sides.WakeBoth()
}
