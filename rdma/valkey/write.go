package valkey

import (
	"net"
	"os"
)

// Write hands p to the adapter. It waits while the peer's buffer is full. If it fails, the number
// tells how many bytes were handed over; whether the peer has read them is not known. After the
// connection has ended the error matches [ErrReset].
//
// After hundreds of small writes without an answer, further ones of a client are combined: they
// leave with the next message of the peer, when they are some kilobytes, or with Close.
func (c *Conn) Write(p []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.sides.Leave(&c.sides.Out)
	if !c.sides.Led() && c.l.cq.Ready() {
		c.sides.Look()
	}
	total := 0
	for {
		if err := c.unwritable(); err != nil {
			return total, err
		}
		if total == len(p) {
			return total, nil
		}
		// What Close could not send any more is not gathered: it would need room at the peer, memory, and places.
		if n := len(c.held) + len(p) - total; !c.server && n < c.tx.gather() && n <= c.tx.room() && c.send.Has(n) {
			if c.ops.under() > dataDepth-heldPlaces {
				c.await()
				continue
			}
			c.held = append(c.held, p[total:]...)
			return len(p), nil
		}
		from := c.held
		if len(from) == 0 {
			from = p[total:]
		}
		room := c.waitRoom(min(len(from), max(pieceLeast, total)))
		if len(room) == 0 {
			continue
		}
		if len(c.held) > 0 {
			c.flush()
			continue
		}
		c.sides.Leave(&c.sides.Out)
		n := c.copyUnlocked(room, p[total:])
		if c.unwritable() != nil {
			continue
		}
		// The peer may have given another buffer meanwhile.
		if n = min(n, c.tx.room()); n == 0 {
			continue
		}
		total += c.data(n)
	}
}

// heldPlaces is how many operations the gathered bytes may need: the memory that is sent is used round and round, so they
// may lie at its end and at its beginning.
const heldPlaces = 2

// flush sends what was gathered, as far as there is room.
func (c *Conn) flush() {
	// A deadline is that of a Write that waits, not of bytes that an earlier one has taken.
	for len(c.held) > 0 && !c.ending() {
		b := c.room(len(c.held))
		if len(b) == 0 {
			return
		}
		n := c.data(copy(b, c.held))
		c.held = c.held[:copy(c.held, c.held[n:])]
	}
}

// unwritable is the reason why nothing can be written, if any.
func (c *Conn) unwritable() error {
	switch {
	case c.closed:
		return c.opError("write", net.ErrClosed)
	case c.sides.Out.Expired:
		return c.opError("write", os.ErrDeadlineExceeded)
	case c.err != nil:
		return c.opError("write", c.err)
	case c.down:
		return c.opError("write", c.reset())
	}
	return nil
}
