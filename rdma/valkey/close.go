package valkey

import (
	"net"
	"time"

	"github.com/godapl/godapl/rdma/internal/stream"
)

// Close ends the connection: the peer's Read returns io.EOF behind what was written. valkey-server
// drops what it has not read by then, so read the answer to the last command before.
// Calls that wait return an error that matches net.ErrClosed. Close waits until the adapter has ended
// the connection, but for a second at most: if the network takes longer, it goes on in the background
// for [Config].Linger. The adapter must not be closed meanwhile. Close waits for less, down to some milliseconds, while
// the adapter has other connections of which that is true.
func (c *Conn) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return c.opError("close", net.ErrClosed)
	}
	c.flush()
	c.closed = true
	c.sides.StopTimers()
	if c.beat != nil {
		c.beat.Stop()
	}
	idle := c.sides.StopIdle()
	c.sides.WakeBoth()
	_ = c.rc.BeginShutdown()
	c.mu.Unlock()

	go c.takeDown(idle)
	stream.AwaitGone(c.l.zone.Adapter(), c.gone)
	return nil
}

// takeDown gives everything back when the connection has ended and no goroutine is inside it.
func (c *Conn) takeDown(idle <-chan struct{}) {
	defer close(c.gone)
	patience := time.NewTimer(c.l.cfg.Linger)
	defer patience.Stop()
	select {
	case <-c.rc.Context().Done():
	case <-patience.C:
		_ = c.rc.Abort()
	}
	<-idle
	c.reading.Lock()
	defer c.reading.Unlock()
	c.writing.Lock()
	defer c.writing.Unlock()
	_ = c.l.ep.Close()
	c.send.Free()
	c.l.free()
}
