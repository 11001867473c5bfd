package rsocket

import (
	"github.com/godapl/godapl/internal/connput"
	"github.com/godapl/godapl/internal/rsock"
)

// directLeast is how many bytes of a Write are worth a copy of their own to the peer's ring, instead of one into memory that
// is sent, which is sent with others.
const directLeast = 16 << 10

// direct copies the first bytes of p straight to the peer's ring, if the peer shares it, and sends the message of that. It
// returns how many; if none, they can be sent as on other paths. The result is -1 if the caller must look first whether it
// may still write: what has happened meanwhile may be the end, and nothing would wake a wait for room behind it. What is
// written before a message is nothing that the peer looks at, so the copy may come while earlier messages are under way.
func (c *Conn) direct(p []byte) int {
	if !c.near || len(p) < directLeast {
		return 0
	}
	if c.tx.Room() == 0 && c.sides.Look() {
		return -1
	}
	n := min(len(p), c.tx.Room(), pieceNear)
	if n < directLeast || c.quiet || c.ops.under() >= dataDepth {
		return 0
	}
	to := c.tx.Next()
	c.sides.Leave(&c.sides.Out)
	c.mu.Unlock()
	done := connput.Put(c.rc, p[:n], to.Addr, to.Key)
	c.mu.Lock()
	switch {
	case c.unwritable() != nil:
		return -1
	case !done:
		return 0
	}
	flags := c.counted(n)
	c.tx.Put(n)
	if err := c.alone(rsock.DataMessage(n), flags); err != nil {
		c.fail(err)
		return -1
	}
	return n
}
