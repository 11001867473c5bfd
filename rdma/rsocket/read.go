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
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(p) == 0 && !c.closed { // whatever the deadline says, as for net.TCPConn
		return 0, nil
	}
	if err := c.sides.Enter(&c.sides.In, c.unreadable); err != nil {
		return 0, err
	}
	defer c.sides.Exit(&c.sides.In)
	from, err := c.ready()
	if err != nil {
		return 0, err
	}
	c.lent = true
	n := c.copyUnlocked(p, from)
	err = c.torn()
	c.giveBack(n)
	if err != nil {
		return 0, err
	}
	return n, nil
}

// WriteTo copies what arrives to w, straight from the ring, until the peer's end. While w.Write
// runs the peer may fill the rest of the ring. It ends with w's error, or as Read does. A w that takes
// less than it got, without an error, ends it with io.ErrShortWrite; bytes that w has not taken can still be
// read.
func (c *Conn) WriteTo(w io.Writer) (total int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.sides.Enter(&c.sides.In, c.unreadable); err != nil {
		return 0, err
	}
	defer c.sides.Exit(&c.sides.In)
	for {
		from, err := c.ready()
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
		n, err := c.pass(w, from)
		torn := c.torn()
		c.giveBack(n)
		if torn != nil {
			return total, errors.Join(err, torn)
		}
		total += int64(n)
		if err != nil {
			return total, err
		}
	}
}

// errInvalidWrite is the error for a writer that claims to have written what it did not get.
var errInvalidWrite = errors.New("rsocket: the writer returned an invalid count")

// pass has w write bytes of the ring, without the lock, and returns how many it has taken.
func (c *Conn) pass(w io.Writer, from []byte) (int, error) {
	c.lent = true
	c.abroad++
	c.mu.Unlock()
	defer func() { // if w panics, too
		c.mu.Lock()
		c.lent = false
		c.abroad--
	}()
	n, err := w.Write(from)
	switch {
	case n < 0 || n > len(from):
		return 0, errors.Join(err, errInvalidWrite)
	case n < len(from) && err == nil:
		err = io.ErrShortWrite
	}
	return n, err
}

// giveBack ends the use of bytes that were lent, of which the program has taken n. After CloseRead all that has
// arrived is dropped, these included.
func (c *Conn) giveBack(n int) {
	c.lent = false
	if c.deaf {
		c.discard()
		return
	}
	c.consume(n)
}

// ready waits until there are bytes, and returns those that lie in one piece. They stay where they are
// while the turn lasts.
func (c *Conn) ready() ([]byte, error) {
	defer c.sides.Leave(&c.sides.In)
	for {
		if err := c.unreadable(); err != nil {
			return nil, err
		}
		switch {
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
		case c.err != nil && c.sides.Rest(&c.sides.In):
			continue
		case c.err != nil:
			return nil, c.opError("read", c.err)
		case c.over():
			return nil, c.opError("read", c.reset())
		}
		c.sides.Await(&c.sides.In)
	}
}

// torn is the error of bytes that were taken out of the ring while the program closed the adapter: they may be zeros. The
// ring is freed then, and never otherwise during a turn.
func (c *Conn) torn() error {
	if _, err := stream.Bytes(c.ring[0]); err != nil {
		return c.opError("read", err)
	}
	return nil
}

// unreadable is the reason why nothing may be read, whatever has arrived, if any.
func (c *Conn) unreadable() error {
	switch {
	case c.closed:
		return c.opError("read", net.ErrClosed)
	case c.sides.In.Expired:
		return c.opError("read", os.ErrDeadlineExceeded)
	}
	return nil
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

// discard drops what has arrived after CloseRead, so that the peer can go on. A half that is lent stays
// until the call gives it back: the peer would overwrite it.
func (c *Conn) discard() {
	for !c.lent {
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
