package valkey

import (
	"github.com/godapl/godapl/rdma"
)

// counter counts operations of one kind that were posted, and those that are known to be done.
type counter struct{ posted, done uint16 }

func (n *counter) under() int { return int(n.posted - n.done) }

// An operation's cookie says how much is done when it is: the counters, and the bytes of the send
// buffer. Completions come in order, so not every operation needs one.

func (c *Conn) cookie() uint64 {
	return uint64(c.ops.posted)<<48 | uint64(c.ctl.posted)<<32 | uint64(c.send.Posted)
}

// done takes the completion of an operation of this side.
func (c *Conn) done(cookie uint64) {
	c.ops.done, c.ctl.done = uint16(cookie>>48), uint16(cookie>>32)
	c.send.Release(uint32(cookie))
	c.sides.Wake(&c.sides.Out)
}

// A long Write is cut into pieces, so that the peer reads the first bytes while the next are copied.
// They begin with pieceLeast and grow with what has been written, up to pieceMost: each wakes a peer
// that sleeps, which takes as long as copying much.
const pieceLeast, pieceMost = 64 << 10, 256 << 10

// room is memory for up to want bytes that may be sent now.
func (c *Conn) room(want int) []byte {
	most := c.tx.room()
	if most == 0 || c.ops.under() >= dataDepth {
		return nil
	}
	b, err := c.send.Room(min(want, most, pieceMost))
	if err != nil {
		c.fail(err)
	}
	return b
}

// waitRoom is room, and waits if there is none. If it returns none, the caller looks whether it may
// still write: what has happened meanwhile may be the end.
func (c *Conn) waitRoom(want int) []byte {
	b := c.room(want)
	if len(b) == 0 && c.err == nil {
		c.await()
		return nil
	}
	return b
}

// await handles what is there, or waits until something has happened.
func (c *Conn) await() {
	if !c.sides.Look() {
		c.sides.Await(&c.sides.Out)
	}
}

// data sends the first n bytes of what room has given, and returns n. If that is impossible, the
// connection ends, and it returns 0.
func (c *Conn) data(n int) int {
	to := c.tx.put(n)
	from := c.send.Take(n)
	c.ops.posted++
	c.served = 0
	flags := rdma.NoCompletion
	if c.send.Mark(c.ops.posted, dataDepth/4) {
		flags = rdma.NoWake
		if c.send.Short() || c.ops.under() > dataDepth/2 {
			flags = 0 // a Write will wait for it
		}
	}
	err := c.rc.PostWrite(rdma.Write{From: from, To: to, Cookie: c.cookie(), Flags: flags | rdma.WithImmediate, Immediate: uint32(n)})
	if err != nil {
		c.fail(err)
		return 0
	}
	return n
}
