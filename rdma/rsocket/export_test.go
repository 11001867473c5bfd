package rsocket

import (
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/internal/stream"
	"github.com/godapl/godapl/rdma/internal/stream/streamtest"
	"github.com/godapl/godapl/rdma/mem"
)

// RingSize is the bytes of the halves that the peer may write or the program has not read.
func (c *Conn) RingSize() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, half := range c.ring[:c.rx.Halves()] {
		n += half.Len()
	}
	return n
}

// Readable reports whether the peer has not ended its direction, as far as was handled.
func (c *Conn) Readable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ends.Readable()
}

// Reading reports whether a Read waits.
func (c *Conn) Reading() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sides.Waits(&c.sides.In)
}

// Handled is how many events the connection has handled.
func (c *Conn) Handled() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sides.Handled
}

// Sent is how many data messages the connection has sent, modulo 2^16.
func (c *Conn) Sent() uint16 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ops.posted
}

// Controls is how many operations beside data the connection has sent, modulo 2^16.
func (c *Conn) Controls() uint16 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ctl.posted
}

// BeQuietOn has the accepting side of a path send nothing before its peer, until the returned function is called.
func BeQuietOn(path string) (end func()) {
	before := quietPath
	quietPath = path
	return func() { quietPath = before }
}

// SendSize is the memory for bytes on their way.
func (c *Conn) SendSize() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.send.Size()
}

// Unread is how many bytes have arrived in the oldest half and were not read.
func (c *Conn) Unread() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, n := c.rx.Ready()
	return n
}

// The errors of readers and writers that return impossible counts.
var ErrInvalidRead, ErrInvalidWrite = errInvalidRead, errInvalidWrite

// FirstPiece is the most that a Write would begin with, and how many bytes are on their way, as far as completions
// tell.
func (c *Conn) FirstPiece() (n, underway int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.piece(0), c.send.Under()
}

// Gone reports whether Close need not wait any longer.
func (c *Conn) Gone() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

// Eager reports whether calls that wait look longer, since messages are long.
func (c *Conn) Eager() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.eager
}

// Straight is how many bytes were copied straight to the peer: all else is written together with its message.
func (c *Conn) Straight() uint64 { return c.rc.Stats().Ops[rdma.OpWrite].Bytes }

// End queues the event that the connection has ended.
func (c *Conn) End() error { return c.l.events.Post(stream.Event{Kind: stream.Ended}) }

// BeforeMessage has f run once when the connection knows where a message lies and has not read it yet, until the returned
// function is called.
func (c *Conn) BeforeMessage(f func()) (end func()) {
	set := func(to func(mem.Slice) ([]byte, error)) {
		c.mu.Lock()
		defer c.mu.Unlock()
		bytesOf = to
	}
	set(streamtest.BytesBefore(c.l.shut, f))
	return func() { set(stream.Bytes) }
}
