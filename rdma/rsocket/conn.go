package rsocket

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/rsock"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/internal/stream"
	"github.com/godapl/godapl/rdma/mem"
)

// Conn is a stream of bytes both ways over an RDMA connection: a [net.Conn] with half-close. Make
// one with [Dialer] or [Listener].
//
// Read and Write copy, and allocate nothing. The program owns the bytes that it passes to them
// again when they return. A Write returns when all of its bytes have been handed to the adapter,
// which needs room at the peer: it waits for a peer that does not read. Deadlines may be moved while
// calls wait.
//
// All methods may be called concurrently. Concurrent Reads take turns, and so do Writes. ReadFrom and
// WriteTo, which io.Copy calls, have one turn until they return, also while they wait for the other
// reader or writer; those of a net.TCPConn let others in meanwhile. So a Write beside an io.Copy to the
// connection waits for its end, and the reader of that copy must not write to the connection itself.
type Conn struct {
	l             *link
	rc            *rdma.Conn
	local, remote net.Addr
	// immediate: messages are immediate data. Otherwise they are sends behind the writes.
	immediate bool
	// big and bigTable are the orders of the peer's messages and of the entries in this side's
	// table; theirs is that of the peer's table.
	big, bigTable, theirs bool
	peer                  rsock.Hello

	mu       sync.Mutex
	sides    stream.Sides[stream.Event] // with the turns of Read and Write
	abroad   int                        // calls that are in a Reader or Writer of the program
	heard    uint64                     // how many messages were handled
	quiet    bool                       // nothing may be sent yet: see quiet.go
	held     rsock.Message              // about the end, until quiet is over; 0: none
	again    []uint64                   // receives to be posted again
	receives int                        // how many are posted
	tx       rsock.Sender
	rx       rsock.Receiver
	ends     rsock.Ends
	ring     [rsock.Entries]mem.Slice // the halves of rx, oldest first
	free     []mem.Slice              // halves to be announced
	send     stream.SendBuffer
	ops, ctl counter
	near     bool        // the path is shared memory
	eager    bool        // messages are long: see expect
	late     bool        // the entry that should have come with the latest limit comes with the next
	pair     *rdma.Batch // a write and its message, which are posted together; nil with immediate data
	place    int         // where the next message lies until it is sent
	deaf     bool        // CloseRead was called: what arrives is dropped
	lent     bool        // a call uses bytes of the ring without mu
	closed   bool        // Close was called
	down     bool        // the connection has ended
	cause    error       // why
	err      error       // the error that ended it, found by this side
	gone     chan struct{}
	probing  *time.Timer // of keepAlive
	made     time.Time
}

// background is the context of waits that only events end.
var background = context.Background()

// newConn makes the stream of a connection that is established, and introduces this side as soon as it may.
func newConn(l *link, rc *rdma.Conn, peer rsock.Hello, big, accepted bool) *Conn {
	c := &Conn{
		l: l, rc: rc, local: rc.LocalAddr(), remote: rc.RemoteAddr(), peer: peer,
		// Between ends of this library the software path over TCP is what it is to others: iWARP
		// without immediate data.
		immediate: rc.Caps().WriteImmediate && rc.Path() != "tcp",
		big:       peer.Big(), bigTable: big, theirs: peer.Big(),
		send: stream.SendBuffer{Zone: l.zone, Most: l.cfg.Send},
		rx:   rsock.NewReceiver(uint16(l.cfg.Messages), l.halves[0].Len(), peer.Table.Length), free: l.halves[1:],
		gone: make(chan struct{}),
	}
	c.sides.Init(&c.mu, l.events, c.handle, c.fail)
	c.receives = l.cfg.Messages + spare
	c.quiet, c.made = accepted && !c.immediate && rc.Path() == quietPath, time.Now()
	// siw resets the connection if anything arrives when its program has closed it, and then drops what
	// it has not sent yet. So between devices the peer gets no message that it can do without.
	c.rx.Sparing = !c.immediate && rc.Path() == "verbs"
	// Within a machine the peer is this library, which has spare receives.
	c.tx = rsock.NewSender(&c.peer, rc.Path() == "loop" || rc.Path() == "shm")
	c.near = rc.Path() == "shm"
	if rc.Path() == "verbs" && l.cfg.Burst == 0 {
		event.ProviderOf(l.events).SetBurst(deviceBurst)
	}
	c.ring[0] = l.halves[0]
	if !c.immediate {
		c.pair = rc.NewBatch()
	}
	c.mu.Lock()
	c.update()
	c.keepAlive(l.cfg.KeepAlive)
	c.mu.Unlock()
	l.ep.Describe(c.describe)
	return c
}

// LocalAddr is the address of this side. Its Network is the path: "tcp", "shm", "loop" or "verbs".
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr is the address of the peer. On one host it names the peer's process.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline is SetReadDeadline and SetWriteDeadline.
func (c *Conn) SetDeadline(t time.Time) error { return c.setDeadlines(t, &c.sides.In, &c.sides.Out) }

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
