package rsocket

import (
	"fmt"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// keepAlive begins to look at the connection after each period. The caller holds mu.
func (c *Conn) keepAlive(period time.Duration) {
	if period <= 0 {
		return
	}
	seen := c.activity()
	c.probing = time.AfterFunc(period, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.unwatched() {
			return
		}
		c.sides.Look() // a completion may be there that no call has taken
		switch {
		case c.unwatched():
			return
		case c.activity() != seen:
		case c.ctl.under() == 0:
			c.probe()
		case !c.quiet:
			c.fail(fmt.Errorf("the peer's adapter has given no sign of life in %v", period))
			return
		}
		seen = c.activity()
		c.probing.Reset(period)
	})
}

// unwatched reports whether nothing waits for a sign of life any more. When both directions have ended, calls return
// without the peer, and the connection is disconnecting or will be: a probe would fail.
func (c *Conn) unwatched() bool { return c.closed || c.down || c.err != nil || c.ends.Over() }

// activity changes with everything that is sent or arrives, but not with what a probe leaves.
type activity struct {
	heard    uint64
	ops, ctl uint16
}

func (c *Conn) activity() activity { return activity{c.heard, c.ops.posted, c.ctl.posted} }

// probe writes nothing to the peer, whose adapter answers. The peer's program does not hear of it.
// If there is no answer, the adapter ends the connection; or it is not done after the next period.
func (c *Conn) probe() {
	if c.quiet && time.Since(c.made) < hca.AnswerTime {
		return
	}
	c.ctl.posted++
	to := mem.Remote{Key: mem.Key(c.peer.Table.Key), Addr: c.peer.Table.Addr}
	if err := c.rc.PostWrite(rdma.Write{To: to, Cookie: c.cookie()}); err != nil {
		c.fail(err)
	}
}
