package rsocket

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
)

// Write passes p to the adapter. It waits while the peer has no room; there is room again when the
// peer's program reads. If Write fails, it returns the number of bytes that it has passed on; the peer
// may or may not have read them. After the peer has closed the connection the error matches
// [ErrReset].
func (c *Conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.sides.Enter(&c.sides.Out, c.unwritable); err != nil {
		return 0, err
	}
	defer c.sides.Exit(&c.sides.Out)
	defer c.sides.Leave(&c.sides.Out)
	if !c.sides.Led() && c.l.cq.Ready() {
		c.sides.Look() // the peer may have said that it closes
	}
	total := 0
	for {
		if err := c.unwritable(); err != nil {
			return total, err
		}
		if total == len(p) {
			return total, nil
		}
		if n := c.direct(p[total:]); n != 0 {
			total += max(n, 0)
			continue
		}
		room := c.waitRoom(min(len(p)-total, c.piece(total)))
		if len(room) == 0 {
			continue
		}
		c.sides.Leave(&c.sides.Out)
		n := c.copyUnlocked(room, p[total:])
		if c.unwritable() != nil { // a deadline, too: the last piece would be sent behind its error
			continue
		}
		if err := c.data(n); err != nil {
			c.fail(err)
			continue
		}
		total += n
	}
}

// ReadFrom copies from r, straight into the memory that is sent, until r ends. It waits as Write
// does. From a *net.Buffers it gathers: the peer gets one message for all of the buffers, up to
// 256 KiB of them, where net.Buffers.WriteTo sends one for each.
func (c *Conn) ReadFrom(r io.Reader) (total int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.sides.Enter(&c.sides.Out, c.unwritable); err != nil {
		return 0, err
	}
	defer c.sides.Exit(&c.sides.Out)
	defer c.sides.Leave(&c.sides.Out)
	for {
		if err := c.unwritable(); err != nil {
			return total, err
		}
		want := wanted(r)
		if want == 0 { // its end needs no room at the peer
			if b, ok := r.(*net.Buffers); ok {
				*b = (*b)[len(*b):] // what is left is empty
			}
			return total, nil
		}
		room := c.waitRoom(want)
		if len(room) == 0 {
			continue
		}
		c.sides.Leave(&c.sides.Out)
		n, err := c.fill(r, room)
		if n > 0 {
			if err := c.unwritable(); err != nil {
				return total, err
			}
			if err := c.data(n); err != nil {
				c.fail(err)
				continue
			}
			total += int64(n)
		}
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

// errInvalidRead is the error for a reader that claims to have read more than fits.
var errInvalidRead = errors.New("rsocket: the reader returned an invalid count")

// fill has r fill memory that is sent, without the lock.
func (c *Conn) fill(r io.Reader, room []byte) (int, error) {
	c.abroad++
	c.mu.Unlock()
	defer func() { // if r panics, too
		c.mu.Lock()
		c.abroad--
	}()
	n, err := r.Read(room)
	if n < 0 || n > len(room) {
		return 0, errors.Join(err, errInvalidRead)
	}
	return n, err
}

// wanted is how much memory a reader can fill, at most pieceMost; 0 if it has nothing any more. It calls no method of the
// program, because the lock is held. Of other readers than these it is not known, so that ReadFrom waits for room at the
// peer before it learns of their end.
func wanted(r io.Reader) int {
	n := pieceMost
	switch r := r.(type) {
	case *net.Buffers:
		n = 0
		for _, b := range *r {
			if n += len(b); n >= pieceMost {
				break
			}
		}
	case *bytes.Buffer:
		n = r.Len()
	case *bytes.Reader:
		n = r.Len()
	case *strings.Reader:
		n = r.Len()
	case *io.LimitedReader:
		n = int(min(max(r.N, 0), pieceMost))
	}
	return min(n, pieceMost)
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
	case c.ends.Cut():
		return c.opError("write", c.reset())
	case !c.ends.Writable():
		return c.opError("write", ErrPipe)
	case c.down:
		return c.opError("write", c.reset())
	}
	return nil
}
