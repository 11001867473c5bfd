package valkey

import (
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/internal/stream"
)

// Config are the sizes of connections. The zero value is good for most programs. A listener or
// dialer uses one Config for all of its connections.
type Config struct {
	// Buffer is the memory that the peer may write, in bytes. valkey-server has a send buffer of the
	// same size for each connection, so programs with many connections should have less. 4096 to
	// 16 MiB. 0: 1 MiB.
	Buffer int
	// Send bounds the memory for bytes on their way to the peer, which begins with 16 KiB at the
	// first Write and doubles while it is short, in bytes. 0: 1 MiB.
	Send int
	// Receives is how many writes and messages of the peer may be unhandled. Further ones wait. 16 to
	// 32768. 0: 1024, which peers of C count on.
	Receives int
	// Burst is how often a call that waits polls before it sleeps. Polling costs processor time, and
	// being woken costs latency. 0: 64; below 0: never.
	Burst int
	// KeepAlive is how often the peer is sent a message that it does not answer. If the peer's adapter
	// does not take it, the connection ends. 0: every three seconds by a [Listener], as by
	// valkey-server, and never by a [Dialer]. Below 0: never. A listener's connection also sends one, whatever this says, when
	// the client has written 256 times without an answer: see [Conn.Write].
	KeepAlive time.Duration
	// Linger bounds how long the end of a connection may take after Close, until it is ended
	// abruptly. Close itself waits for a second of it at most. 0: ten seconds.
	Linger time.Duration
}

// Limits of a Config.
const (
	bufferLeast, bufferMost     = 4096, 16 << 20
	receivesLeast, receivesMost = 16, 1 << 15
	// dataDepth and controlDepth bound the operations on their way.
	dataDepth, controlDepth = 40, 4
	sendDepth               = dataDepth + controlDepth
)

// filled is the configuration with all defaults.
func (c Config) filled(a *rdma.Adapter, server bool) Config {
	c.Buffer = min(max(orDefault(c.Buffer, 1<<20), bufferLeast), bufferMost)
	c.Send = stream.SendLimit(c.Send)
	c.Receives = min(max(orDefault(c.Receives, 1024), receivesLeast), receivesMost)
	if most := a.Attributes().MaxRecvDepth; most > 0 {
		c.Receives = min(c.Receives, most)
	}
	if c.KeepAlive == 0 && server {
		c.KeepAlive = 3 * time.Second
	}
	if c.Linger <= 0 {
		c.Linger = 10 * time.Second
	}
	return c
}

func orDefault(n, otherwise int) int {
	if n <= 0 {
		return otherwise
	}
	return n
}
