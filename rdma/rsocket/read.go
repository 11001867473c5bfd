package rsocket

import (
	"errors"
	"io"
	"net"
	"os"

	"github.com/godapl/godapl/rdma/internal/stream"
)

// Read copies bytes that have arrived, and waits if there are none. After the last byte of a peer
// that has closed the connection it returns io.EOF. If the connection has ended in another way, Read
// returns the bytes that have arrived, and then an error that matches [ErrReset].
func (c *Conn) Read(p []byte) (int, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	from, err := c.ready(len(p) == 0)
	if err != nil || len(from) == 0 {
		return 0, err
	}
	n := c.copyUnlocked(p, from)
	c.consume(n)
	return n, nil
}

// WriteTo copies what arrives to w, straight from the ring, until the peer's end. While w.Write
// runs the peer may fill the rest of the ring. It ends with w's error, or as Read does.
func (c *Conn) WriteTo(w io.Writer) (total int64, err error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		from, err := c.ready(false)
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
		c.mu.Unlock()
		n, err := w.Write(from)
		c.mu.Lock()
		c.consume(n)
		total += int64(n)
		if err != nil {
			return total, err
		}
	}
}

// ready waits until there are bytes, and returns those that lie in one piece; none if it shall not
// wait. They stay where they are while c.reading is held.
func (c *Conn) ready(now bool) ([]byte, error) {
	defer c.sides.Leave(&c.sides.In)
	for {
		switch {
		case c.closed:
			return nil, c.opError("read", net.ErrClosed)
		case c.sides.In.Expired:
			return nil, c.opError("read", os.ErrDeadlineExceeded)
		case now:
			return nil, nil
		case c.deaf:
			return nil, io.EOF
		case c.err != nil && errors.Is(c.err, ErrProtocol):
			return nil, c.opError("read", c.err)
		}
		if at, n := c.rx.Ready(); n > 0 {
			b, err := stream.Bytes(c.ring[0])
			if err != nil {
				return nil, c.opError("read", err)
			}
			return b[at : at+n], nil
		}
		switch {
		case !c.ends.Readable():
			return nil, io.EOF
		case c.err != nil:
			return nil, c.opError("read", c.err)
		case c.over():
			return nil, c.opError("read", c.reset())
		}
		c.sides.Await(&c.sides.In)
	}
}

// consume accounts for bytes that were read, and tells the peer when that is due.
func (c *Conn) consume(n int) {
	if n == 0 {
		return
	}
	if c.rx.Read(n) {
		c.free = append(c.free, c.ring[0])
		copy(c.ring[:], c.ring[1:])
	}
	c.update()
}

// discard drops what has arrived after CloseRead, so that the peer can go on.
func (c *Conn) discard() {
	for {
		_, n := c.rx.Ready()
		if n == 0 {
			return
		}
		c.consume(n)
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
