package valkey

import (
	"net"
	"sync"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/internal/stream"
)

// Conn is a stream of bytes both ways over an RDMA connection: a [net.Conn] without half-close. Make
// one with [Dialer] or [Listener].
//
// Read and Write copy, and allocate nothing. The program owns the bytes that it passes to them
// again when they return. Write waits while the peer's buffer is full and the peer has not read all
// of it. So a program must read while it writes much. Deadlines may be moved while calls wait.
//
// All methods may be called concurrently. Concurrent Reads take turns, and so do Writes.
type Conn struct {
	l             *link
	rc            *rdma.Conn
	local, remote net.Addr
	server        bool

	reading, writing sync.Mutex // the turns of Read and Write; locked before mu

	mu       sync.Mutex
	sides    stream.Sides[stream.Event]
	again    []uint64 // receives to be posted again
	receives int      // how many are posted
	tx       writer
	rx       reader
	send     stream.SendBuffer
	held     []byte // written by the program, and gathered
	ops, ctl counter
	due      due    // messages to be sent
	served   int    // writes of the peer that were taken since it was sent anything
	group    uint16 // of features that the client has asked for
	features uint64 // of the server
	answered bool   // the server has told its features
	closed   bool   // Close was called
	down     bool   // the connection has ended
	cause    error  // why
	err      error  // the error that ended it, found by this side
	gone     chan struct{}
	beat     *time.Timer // of Config.KeepAlive
}

// idleAfter is when a goroutine begins to wait for events in place of the program. It has to be shorter than
// the time that a message waits for a receive, one second.
const idleAfter = 250 * time.Millisecond

// newConn makes the stream of a connection that is established, and tells the peer of its buffer.
func newConn(l *link, rc *rdma.Conn, server bool) (*Conn, error) {
	if !rc.Caps().WriteImmediate {
		return nil, noImmediate("the connection to " + rc.RemoteAddr().String())
	}
	c := &Conn{
		l: l, rc: rc, local: rc.LocalAddr(), remote: rc.RemoteAddr(), server: server,
		receives: l.cfg.Receives, rx: reader{size: l.buffer.Len()},
		send: stream.SendBuffer{Zone: l.zone, Most: l.cfg.Send}, gone: make(chan struct{}),
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sides.Init(&c.mu, l.events, c.handle, c.fail)
	c.due = dueRegister
	if !server {
		c.due |= dueQuestion
	}
	c.update()
	c.sides.TendIdle(idleAfter)
	if l.cfg.KeepAlive > 0 {
		c.beat = time.AfterFunc(l.cfg.KeepAlive, c.keepAlive)
	}
	return c, nil
}

// LocalAddr is the address of this side. Its Network is the path: "tcp", "shm", "loop" or "verbs".
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr is the address of the peer. On one host it names the peer's process.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// ServerFeatures are the features 0 to 63 that the server has announced, as bits. No version has
// any up to now. It is false until the server's answer was handled, and always at the server.
func (c *Conn) ServerFeatures() (features uint64, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.features, c.answered
}

// SetDeadline is SetReadDeadline and SetWriteDeadline.
func (c *Conn) SetDeadline(t time.Time) error {
	return c.setDeadlines(t, &c.sides.In, &c.sides.Out)
}

// SetReadDeadline bounds Reads, those that wait included. Its error then matches
// os.ErrDeadlineExceeded, and is a net.Error with Timeout. The zero time is no bound.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.setDeadlines(t, &c.sides.In) }

// SetWriteDeadline bounds Writes; see SetReadDeadline. Part of the bytes may have been written.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.setDeadlines(t, &c.sides.Out) }

func (c *Conn) setDeadlines(t time.Time, sides ...*stream.Side) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return c.opError("set", net.ErrClosed)
	}
	for _, s := range sides {
		c.sides.SetDeadline(s, t)
	}
	return nil
}
