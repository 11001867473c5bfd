package secure

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
)

// A Socket moves bytes without blocking: wire.ErrAgain if it cannot now.
type Socket interface {
	Read(p []byte) (int, error)
	Write(list [][]byte) (int, error)
}

// carrier is the net.Conn below a tls.Conn. It hands out at most the rest of one record, so that crypto/tls holds
// nothing beyond the record that it was asked for: whether there is more to read can then be seen here.
type carrier struct {
	local, remote net.Addr
	conn          atomic.Pointer[net.Conn] // nil while the stream is a socket
	socket        Socket

	// Of the receiving side, which tls.Conn's lock or the receive gate guards.
	in     *[inSize]byte // nil if nothing is held
	r, w   int
	rest   int    // bytes of the current record that are still to be handed out
	handed int64  // bytes that were handed out
	dry    bool   // the socket had no more, at the last read
	end    error  // of the socket
	waits  func() // called before a read that may block; may be nil

	// Of the sending side: a key update is answered by the receiving one.
	mu   sync.Mutex
	held atomic.Bool // out is not nil
	out  *[]byte     // encrypted and not sent; nil if there is nothing
	at   int         // sent of out
	more atomic.Bool // WriteNow will write more at once
	one  [1][]byte
}

const (
	recordHeader = 5
	maxRecord    = 16 << 10                            // bytes of the program in a record
	maxWire      = recordHeader + maxRecord + 256      // a record as it is sent
	inSize       = 64 << 10                            // several records
	outMost      = 16 * maxWire                        // WriteNow stops long before
	outBatch     = 4 * (maxRecord + recordHeader + 17) // sent with one call
)

var (
	inBuffers  = sync.Pool{New: func() any { return new([inSize]byte) }}
	outBuffers = sync.Pool{New: func() any { b := make([]byte, 0, outBatch+2*maxWire); return &b }}
)

// again makes crypto/tls return, and continue later: a temporary error is how a deadline looks that may be
// extended.
type again struct{}

func (again) Error() string   { return "try again" }
func (again) Timeout() bool   { return true }
func (again) Temporary() bool { return true }

var errAgain error = again{}

var errCut = errors.New("TLS: the stream has ended without the peer's closing alert: its process has died, or somebody has cut the stream")

// A peer that asks for new keys again and again, and does not read the answers, would make this side hold them.
var errKeys = errors.New("TLS: the peer asks for new keys and does not read")

func (c *carrier) init(conn net.Conn) {
	c.local, c.remote = conn.LocalAddr(), conn.RemoteAddr()
	c.conn.Store(&conn)
}

// hold makes sure that there is room for a whole record.
func (c *carrier) hold() {
	switch {
	case c.in == nil:
		c.in, c.r, c.w = inBuffers.Get().(*[inSize]byte), 0, 0
	case inSize-c.r < maxWire || c.r == c.w:
		c.w = copy(c.in[:], c.in[c.r:c.w])
		c.r = 0
	}
}

func (c *carrier) release() {
	if c.in != nil && c.r == c.w {
		inBuffers.Put(c.in)
		c.in = nil
	}
}

// size is the length of the record whose header is at the front of the unread bytes, 0 if that is not whole. A
// length that no record can have is crypto/tls's to refuse.
func (c *carrier) size() int {
	if c.w-c.r < recordHeader {
		return 0
	}
	h := c.in[c.r : c.r+recordHeader]
	return min(recordHeader+int(h[3])<<8+int(h[4]), maxWire)
}

// whole reports whether there is a whole record, or the rest of one that was begun.
func (c *carrier) whole() bool {
	if c.in == nil {
		return false
	}
	if c.rest > 0 {
		return c.w-c.r >= c.rest
	}
	n := c.size()
	return n > 0 && c.w-c.r >= n
}

// Read implements net.Conn for crypto/tls.
func (c *carrier) Read(p []byte) (int, error) {
	conn := c.conn.Load()
	if conn == nil {
		if !c.whole() {
			return 0, errAgain
		}
	} else if err := c.await(*conn); err != nil {
		return 0, err
	}
	if c.rest == 0 {
		c.rest = c.size()
	}
	n := copy(p[:min(len(p), c.rest)], c.in[c.r:c.w])
	c.r += n
	c.rest -= n
	c.handed += int64(n)
	if conn != nil {
		c.release()
	}
	return n, nil
}

// await blocks until there is something to hand out.
func (c *carrier) await(conn net.Conn) error {
	for c.r == c.w || c.rest == 0 && c.size() == 0 || c.in == nil {
		c.hold()
		if c.waits != nil {
			c.waits()
		}
		n, err := conn.Read(c.in[c.w:])
		c.w += n
		if n > 0 {
			continue
		}
		if err == io.EOF && c.r != c.w {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			c.release()
			return err
		}
	}
	return nil
}

// peek waits for the first bytes.
func (c *carrier) peek() ([]byte, error) {
	conn := *c.conn.Load()
	for c.in == nil || c.w-c.r < recordHeader {
		c.hold()
		n, err := conn.Read(c.in[c.w:])
		c.w += n
		if err != nil && n == 0 {
			return nil, err
		}
	}
	return c.in[c.r:c.w], nil
}

// fill reads from the socket what there is room for. It returns without a call if the socket was empty.
func (c *carrier) fill() (got bool) {
	if c.dry || c.end != nil {
		return false
	}
	c.hold()
	room := c.in[c.w:]
	n, err := c.socket.Read(room)
	c.w += n
	switch {
	case err == wire.ErrAgain:
		c.dry = true
	case err == io.EOF:
		c.end = errCut // the alert, if there was one, has been read before
	case err != nil:
		c.end = err
	default:
		c.dry = n < len(room)
	}
	return n > 0
}

// Write implements net.Conn for crypto/tls. Without blocking, it takes everything.
func (c *carrier) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if conn := c.conn.Load(); conn != nil {
		if err := c.writeRest(*conn); err != nil {
			return 0, err
		}
		return (*conn).Write(p)
	}
	n := 0
	if c.out == nil && !c.more.Load() {
		c.one[0] = p
		var err error
		n, err = c.socket.Write(c.one[:])
		c.one[0] = nil
		if err != nil && err != wire.ErrAgain {
			return 0, err
		}
	}
	if n < len(p) {
		if c.out != nil && len(*c.out)-c.at > outMost {
			return 0, errKeys
		}
		if c.out == nil {
			c.out, c.at = outBuffers.Get().(*[]byte), 0
			c.held.Store(true)
		}
		if c.at > len(*c.out)/2 { // what is sent makes room, however long the rest stays
			*c.out = append((*c.out)[:0], (*c.out)[c.at:]...)
			c.at = 0
		}
		*c.out = append(*c.out, p[n:]...)
	}
	return len(p), nil
}

// flush sends what is encrypted, unless more of it is about to follow. It reports whether nothing is left for
// which the socket had no room.
func (c *carrier) flush(more bool) (all bool, err error) {
	if !c.held.Load() {
		return true, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.out == nil || more && len(*c.out)-c.at < outBatch {
		return true, nil
	}
	c.one[0] = (*c.out)[c.at:]
	n, err := c.socket.Write(c.one[:])
	c.one[0] = nil
	c.at += n
	if c.at == len(*c.out) {
		c.drop()
		return true, nil
	}
	if err == wire.ErrAgain {
		err = nil
	}
	return false, err
}

// drop releases the buffer of what is to be sent.
func (c *carrier) drop() {
	if cap(*c.out) <= outBatch+2*maxWire {
		*c.out = (*c.out)[:0]
		outBuffers.Put(c.out)
	}
	c.out, c.at = nil, 0
	c.held.Store(false)
}

// writeRest blocks until what is encrypted is sent.
func (c *carrier) writeRest(conn net.Conn) error {
	if c.out == nil {
		return nil
	}
	n, err := conn.Write((*c.out)[c.at:])
	c.at += n
	if err == nil {
		c.drop()
	}
	return err
}

func (c *carrier) closeWrite() error {
	conn := c.conn.Load()
	if conn == nil {
		return nil
	}
	if cw, ok := (*conn).(interface{ CloseWrite() error }); ok {
		return cw.CloseWrite()
	}
	return nil
}

// with calls f for the net.Conn, if there is one.
func (c *carrier) with(f func(net.Conn) error) error {
	if conn := c.conn.Load(); conn != nil {
		return f(*conn)
	}
	return nil
}

func (c *carrier) Close() error         { return c.with(net.Conn.Close) }
func (c *carrier) LocalAddr() net.Addr  { return c.local }
func (c *carrier) RemoteAddr() net.Addr { return c.remote }
func (c *carrier) SetDeadline(t time.Time) error {
	return c.with(func(conn net.Conn) error { return conn.SetDeadline(t) })
}
func (c *carrier) SetReadDeadline(t time.Time) error {
	return c.with(func(conn net.Conn) error { return conn.SetReadDeadline(t) })
}

// SetWriteDeadline does nothing. Only crypto/tls calls it, for the alert that ends a stream, to which it would give
// five seconds, whatever deadline the stream has, and also when the adapter is closed meanwhile. The stream's own
// deadlines come by setWriteDeadline.
func (c *carrier) SetWriteDeadline(time.Time) error { return nil }

func (c *carrier) setWriteDeadline(t time.Time) error {
	return c.with(func(conn net.Conn) error { return conn.SetWriteDeadline(t) })
}

// plain is the stream without TLS, with the bytes that were peeked at.
func (c *carrier) plain() net.Conn { return &plainConn{Conn: *c.conn.Load(), c: c} }

type plainConn struct {
	net.Conn
	c *carrier
}

func (p *plainConn) Read(b []byte) (int, error) {
	if c := p.c; c.in != nil {
		n := copy(b, c.in[c.r:c.w])
		c.r += n
		c.release()
		return n, nil
	}
	return p.Conn.Read(b)
}

func (p *plainConn) CloseWrite() error { return p.c.closeWrite() }
