package rsocket

import (
	"errors"
	"fmt"

	"github.com/godapl/godapl/internal/connput"
	"github.com/godapl/godapl/internal/rsock"
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
		case stream.Arrived:
			c.received(e, false)
		case stream.Counted:
			c.received(e, true)
		case stream.Foreign:
			c.fail(protocolError("the peer's operation was " + e.Op.String()))
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
	if len(c.again) >= repostLeast {
		c.repost()
	}
	c.update()
}

// received takes a message. It comes as this kind of connection has it, and in no other way.
func (c *Conn) received(e *stream.Event, immediate bool) {
	var m rsock.Message
	if c.heard++; c.heard == 1 {
		c.speak()
		c.leave()
	}
	switch {
	case errors.Is(c.err, ErrProtocol): // behind another failure the program still reads what has arrived
		return
	case immediate != c.immediate:
		c.fail(protocolError("a message came as a send where immediate data is due, or the other way round"))
		return
	case immediate:
		m = rsock.Message(e.Number)
	case e.Length != rsock.MessageSize:
		c.fail(protocolError(fmt.Sprintf("a message has %d bytes, not %d", e.Length, rsock.MessageSize)))
		return
	default:
		place := c.l.receive(e.Cookie)
		b, err := bytesOf(place)
		if err == nil {
			m = rsock.GetMessage(b, c.big)
			_, err = bytesOf(place) // if the adapter was closed meanwhile, these may be zeros
		}
		if err != nil {
			c.fail(err)
			return
		}
	}
	c.again = append(c.again, e.Cookie)
	if err := c.message(m); err != nil {
		if !errors.Is(err, rdma.ErrClosed) {
			err = protocolError(err.Error())
		}
		c.fail(err)
	}
}

// message does what a message says.
func (c *Conn) message(m rsock.Message) error {
	switch {
	case m.Kind() == rsock.Data:
		if err := c.ends.Data(); err != nil {
			return err
		}
		if err := c.rx.Data(m.Value()); err != nil {
			return err
		}
		c.expect(int(m.Value()))
		if c.deaf {
			c.discard()
		}
		c.sides.Wake(&c.sides.In)
	case m.Kind() == rsock.Window:
		defer c.sides.Wake(&c.sides.Out)
		index, carries, err := c.tx.Window(m.Limit())
		if err != nil || !carries {
			return err
		}
		place, err := stream.Bytes(c.l.table.Slice(index*rsock.EntrySize, rsock.EntrySize))
		if err != nil {
			return err
		}
		entry := rsock.GetEntry(place, c.bigTable)
		if entry == (rsock.Entry{}) && !c.late { // see rsock.Sender
			c.late = true
			return nil
		}
		c.late = false
		clear(place) // an entry that is not written anew is found out
		if err = c.tx.Add(entry); err == nil && c.near {
			connput.Put(c.rc, nil, entry.Addr, entry.Key) // has it mapped, for direct
		}
		return err
	case m.Kind() == rsock.IOMapped:
		return c.rx.IOMap()
	case m == rsock.Shutdown:
		c.ends.PeerShutdown()
		c.sides.Wake(&c.sides.In)
	case m == rsock.Disconnect:
		c.ends.PeerDisconnect()
		c.sides.WakeBoth()
	case m.Kind() == rsock.Control:
		// Of a later version, perhaps. C programs ignore them, too.
	default:
		return fmt.Errorf("unknown %v", m)
	}
	return nil
}

// repost posts the receives again whose messages have been taken. It comes before the peer is told of more credits.
func (c *Conn) repost() {
	if !c.down && c.err == nil && !c.closed {
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

// over reports whether the connection has ended and all that has arrived was taken. A device tells of the
// end beside its completions, so it may come before those of the last messages; but the receives that
// no message has taken come back behind them.
func (c *Conn) over() bool {
	return c.down && (c.receives == 0 || errors.Is(c.cause, rdma.ErrClosed))
}

// fail ends the connection because of an error, of which the first counts.
// The peer is told to read no more only if it broke the protocol. Otherwise that would look like the end of all
// that was to be written.
func (c *Conn) fail(err error) {
	if c.err != nil || c.down || c.closed {
		return
	}
	fault := errors.Is(err, ErrProtocol)
	if !fault {
		err = stream.Reset(err)
	}
	c.err = err
	if fault && !c.ends.Over() {
		c.control(rsock.Disconnect)
	}
	_ = c.rc.BeginShutdown()
	c.sides.WakeBoth()
}
