package rsocket

import (
	"net"
	"time"

	"github.com/godapl/godapl/internal/rsock"
	"github.com/godapl/godapl/rdma/internal/stream"
)

// hearTime bounds how long Close waits for the peer's first message.
const hearTime = time.Second / 2

// Close ends both directions. The peer gets all bytes that were written before, and then the end: its
// Read returns io.EOF and its Write fails. Calls that wait return an error that matches net.ErrClosed.
// Close waits for the end of the transfer, for at most a second. If the network takes longer, the
// transfer continues in the background for at most [Config].Linger; the adapter must stay open
// meanwhile. Close waits for less, down to some milliseconds, while the adapter has other connections of which that is true:
// peers may be dead, and programs such as http.Server close connections one after another. While a ReadFrom or WriteTo
// (of io.Copy) is in a Reader or Writer of the program, Close does not wait for that, and the connection's memory stays
// until it returns.
func (c *Conn) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return c.opError("close", net.ErrClosed)
	}
	if m, send := c.ends.Close(); send && c.err == nil {
		c.control(m)
	}
	c.closed = true
	c.sides.StopTimers()
	if c.probing != nil {
		c.probing.Stop()
	}
	c.sides.WakeBoth()
	heard := c.heard > 0
	if heard {
		_ = c.rc.BeginShutdown()
	}
	c.mu.Unlock()

	go func() {
		if !heard {
			c.hear()
			c.mu.Lock()
			c.speak()
			c.mu.Unlock()
			_ = c.rc.BeginShutdown()
		}
		c.takeDown()
	}()
	stream.AwaitGone(c.l.zone.Adapter(), c.gone)
	return nil
}

// hear waits for the first message of the peer, for a short time. A C program sends it when it first looks
// at the connection; if that has ended by then, it may wait for ever in its accept, and what was written
// is lost.
func (c *Conn) hear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	late := false
	timer := time.AfterFunc(hearTime, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		late = true
		c.sides.Wake(&c.sides.In)
	})
	defer timer.Stop()
	waits := func() bool { return c.heard == 0 && !c.down && c.err == nil && !late }
	// A Read that Close has ended leaves its turn soon. A WriteTo may stay in the program's writer.
	if err := c.sides.Enter(&c.sides.In, func() error {
		if waits() {
			return nil
		}
		return net.ErrClosed
	}); err != nil {
		return
	}
	defer c.sides.Exit(&c.sides.In)
	for waits() {
		c.sides.Await(&c.sides.In)
	}
	c.sides.Leave(&c.sides.In)
}

// takeDown gives everything back when the connection has ended and no call is inside it.
func (c *Conn) takeDown() {
	patience := time.NewTimer(c.l.cfg.Linger)
	defer patience.Stop()
	select {
	case <-c.rc.Context().Done():
	case <-patience.C:
		_ = c.rc.Abort()
	}
	c.mu.Lock()
	abroad := c.abroad > 0
	if abroad {
		close(c.gone) // Close does not wait for the program
	}
	_ = c.sides.Enter(&c.sides.In, nil)
	_ = c.sides.Enter(&c.sides.Out, nil) // no call has its turn any more
	c.mu.Unlock()
	_ = c.l.ep.Close()
	c.send.Free()
	for _, half := range c.ring {
		c.freeHalf(half)
	}
	for _, half := range c.free {
		c.freeHalf(half)
	}
	c.l.free()
	if !abroad {
		close(c.gone)
	}
}

// CloseWrite ends the direction to the peer: after the bytes that were written before, the peer's
// Read returns io.EOF. Later Writes fail with [ErrPipe]. It does not wait. If the connection was lost, the peer cannot
// hear of it, and the error matches [ErrReset]; if the peer has closed it, there is no error.
func (c *Conn) CloseWrite() error { return c.closeHalf((*rsock.Ends).CloseWrite) }

// CloseRead ends the direction from the peer: Read returns io.EOF. The peer gets no notice, and bytes
// that it still sends are dropped. It does not wait.
func (c *Conn) CloseRead() error {
	return c.closeHalf(func(e *rsock.Ends) (rsock.Message, bool) {
		c.deaf = true
		c.discard()
		return e.CloseRead()
	})
}

func (c *Conn) closeHalf(end func(*rsock.Ends) (rsock.Message, bool)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return c.opError("close", net.ErrClosed)
	}
	defer c.sides.WakeBoth()
	m, send := end(&c.ends)
	switch {
	case !send:
		return nil
	case c.err == nil && c.over():
		return c.opError("close", c.reset())
	case c.err == nil:
		c.control(m)
		c.leave()
	}
	if c.err != nil {
		return c.opError("close", c.err)
	}
	return nil
}

// leave ends the connection when this side has said that both directions have ended, and the peer's first message has
// come: see hear. Close does so otherwise.
func (c *Conn) leave() {
	if c.ends.Said() && c.heard > 0 && !c.closed && c.err == nil {
		_ = c.rc.BeginShutdown()
	}
}
