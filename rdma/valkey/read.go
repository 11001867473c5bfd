package valkey

import (
	"errors"
	"io"
	"net"
	"os"
)

// Read copies what has arrived, and waits if that is nothing. When the peer has ended the connection
// and everything was read, it returns io.EOF. If the connection ended otherwise, the error matches
// [ErrReset], after all bytes that have arrived, or at once [ErrProtocol].
func (c *Conn) Read(p []byte) (int, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(p) == 0 && !c.closed { // whatever the deadline says, as for net.TCPConn
		return 0, nil
	}
	from, err := c.ready()
	if err != nil {
		return 0, err
	}
	n := c.copyUnlocked(p, from)
	if _, err := bytesOf(c.l.buffer.All()); err != nil { // the adapter was closed meanwhile, so these may be zeros
		return 0, c.opError("read", err)
	}
	// All of the buffer counts as free before the peer is told so.
	if c.rx.read(n) {
		c.due |= dueRegister
		c.update()
	}
	return n, nil
}

// ready waits until there are bytes, and returns them. They stay where they are while c.reading is held.
func (c *Conn) ready() ([]byte, error) {
	defer c.sides.Leave(&c.sides.In)
	for {
		switch {
		case c.closed:
			return nil, c.opError("read", net.ErrClosed)
		case c.sides.In.Expired:
			return nil, c.opError("read", os.ErrDeadlineExceeded)
		case c.err != nil && errors.Is(c.err, ErrProtocol):
			return nil, c.opError("read", c.err)
		}
		if at, n := c.rx.ready(); n > 0 {
			b, err := bytesOf(c.l.buffer.Slice(at, n))
			if err != nil {
				return nil, c.opError("read", err)
			}
			return b, nil
		}
		switch {
		case c.err != nil && c.sides.Rest(&c.sides.In):
			continue
		case c.err != nil:
			return nil, c.opError("read", c.err)
		case c.over() && c.orderly():
			return nil, io.EOF
		case c.over():
			return nil, c.opError("read", c.reset())
		}
		c.sides.Await(&c.sides.In)
	}
}

// small is what is copied without letting go of the lock.
const small = 4096

// copyUnlocked copies, without the lock if it is much. The caller has its turn of Read or Write, which
// keeps the memory where it is.
func (c *Conn) copyUnlocked(dst, src []byte) int {
	if min(len(dst), len(src)) <= small {
		return copy(dst, src)
	}
	c.mu.Unlock()
	defer c.mu.Lock()
	return copy(dst, src)
}
