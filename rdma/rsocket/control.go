package rsocket

import (
	"github.com/godapl/godapl/internal/rsock"
	"github.com/godapl/godapl/rdma/internal/stream"
)

// update announces halves and limits to the peer, as far as they are due and there is room. It
// needs no credit, so a peer that has none left hears of it, too. When both directions are closed, nobody needs room,
// and the endpoint may be disconnecting.
func (c *Conn) update() {
	for !c.quiet && !c.down && c.err == nil && !c.closed && !c.ends.Over() && c.ctl.under() < controlDepth {
		half := len(c.free) > 0 && c.rx.NeedsHalf()
		if !half && !c.rx.NeedsLimit() {
			return
		}
		if c.repost(); c.err != nil {
			return
		}
		var err error
		if half {
			err = c.announce()
		} else {
			c.ctl.posted++
			err = c.alone(rsock.WindowMessage(c.rx.Limit()), 0)
		}
		if err != nil {
			c.fail(err)
		}
	}
}

// announce gives the peer a half, a larger one than before if it was short of room.
func (c *Conn) announce() error {
	half := c.grown(c.free[0])
	c.free = c.free[:copy(c.free, c.free[1:])]
	c.ring[c.rx.Halves()] = half
	index, limit := c.rx.Announce(half.Len())
	from := c.l.entries.Slice(int(c.ctl.posted%controlDepth)*rsock.EntrySize, rsock.EntrySize)
	b, err := stream.Bytes(from)
	if err != nil {
		return err
	}
	entryOf(half).Put(b, c.theirs)
	c.ctl.posted++
	to := rsock.Entry{Addr: c.peer.Table.Addr + uint64(index)*rsock.EntrySize, Key: c.peer.Table.Key, Length: rsock.EntrySize}
	return c.write(from, to, rsock.WindowMessage(limit), 0)
}

// control sends a message about the end. It is the last but one that the connection can need, so it
// does not wait for a place.
func (c *Conn) control(m rsock.Message) {
	switch {
	case c.down:
		return
	case c.quiet:
		c.held = m // a disconnect says all that a shutdown says
		return
	}
	c.ctl.posted++
	if err := c.alone(m, 0); err != nil {
		c.fail(err) // the peer would wait for it for ever
	}
}
