package rsocket

import (
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/internal/stream"
	"github.com/godapl/godapl/rdma/mem"
)

// Config are the sizes of connections. The zero value is good for most programs. A listener or
// dialer uses one Config for all of its connections. A ring, and the memory for bytes on their way, have 1 GiB at
// most, whatever is configured.
type Config struct {
	// Ring is the receive ring of a new connection, in bytes: the memory that the peer may write.
	// It is rounded up to whole pages. 0: 16 KiB. On devices without immediate data, where the
	// peer is told of room as rarely as possible: 128 KiB, as programs of C have.
	Ring int
	// MaxRing bounds the ring, in bytes. A ring grows when its peer has filled most of it
	// before the program has read: to twice its size, or to 16 times its size if it was too small for
	// whole messages. 0: 2 MiB, or Ring if that is more.
	MaxRing int
	// Send bounds the memory for bytes on their way to the peer, which begins with 16 KiB at the
	// first Write and grows while it is short, in bytes. 0: 1 MiB.
	Send int
	// Messages is how many writes of the peer may be unread, each with at least one byte: its
	// credits, for which as many receives are posted. 16 to 32768. 0: 128, and 384 where Ring is
	// 128 KiB by default.
	Messages int
	// Burst is how often a call that waits polls before it sleeps. Polling costs processor time, and
	// being woken costs latency. 0: 64; below 0: never. After a long message over shared memory a call polls longer,
	// as long as that mostly finds something. On devices 0 is 128, some 10 µs, which is the time that rsockets of C
	// poll; it too is skipped while it seldom finds something.
	Burst int
	// Linger bounds how long the end of a connection may take after Close, until it is ended
	// abruptly. Close itself waits for a second of it at most. 0: ten seconds. Over TCP it counts until the
	// system has taken the bytes; from then on the peer has half a minute to take them and to end its side.
	Linger time.Duration
	// KeepAlive is how long a connection may be silent until the peer's adapter is asked for a sign of
	// life. If none comes, the connection ends: calls that wait, and later ones, return [ErrReset].
	// That takes one more period, or what the adapter needs if it buffers what is to be sent: over TCP it is the
	// system that sends it again, for up to a quarter of an hour (net.ipv4.tcp_retries2). A peer's process that
	// has ended is noticed without that over TCP and on one host; on devices it is not. 0: never.
	KeepAlive time.Duration
}

// Limits of a Config.
const (
	ringLeast     = 4096
	sizeMost      = 1 << 30 // entries have lengths of 32 bits
	messagesLeast = 16
	messagesMost  = 1 << 15
	// spare receives are for messages that no credit counts, and in place of those that wait to be posted again.
	spare = 16
	// repostLeast receives are posted again together. Fewer wait, until the peer is told of more credits.
	repostLeast = 4
	// dataDepth and controlDepth bound the messages on their way. Each is two operations where
	// there is no immediate data. With these depths and the default of Messages a completion queue
	// is just below 256, the power of two for which the software adapter allocates.
	dataDepth, controlDepth = 40, 4
	// deviceBurst is the default of Burst on devices.
	deviceBurst = 128
	// endDepth is for the messages about the end, which never wait.
	endDepth     = 2
	messageDepth = dataDepth + controlDepth + endDepth
	sendDepth    = 2 * messageDepth
)

// filled is the configuration with all defaults.
func (c Config) filled(a *rdma.Adapter) Config {
	page := mem.PageSize()
	ring, messages := 16<<10, 128
	if !a.Attributes().Caps.WriteImmediate {
		ring, messages = 128<<10, 384
	}
	c.Ring = (min(max(orDefault(c.Ring, ring), ringLeast), sizeMost) + page - 1) / page * page
	c.MaxRing = max(min(orDefault(c.MaxRing, 2<<20), sizeMost), c.Ring)
	c.Send = stream.SendLimit(c.Send)
	c.Messages = min(max(orDefault(c.Messages, messages), messagesLeast), messagesMost)
	if most := a.Attributes().MaxRecvDepth; most > 0 {
		c.Messages = max(min(c.Messages, most-spare), 1)
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
