package rsocket

import (
	"github.com/godapl/godapl/internal/rsock"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/internal/stream"
	"github.com/godapl/godapl/rdma/mem"
)

// counter counts operations of one kind that were posted, and those that are known to be done.
type counter struct{ posted, done uint16 }

func (n *counter) under() int { return int(n.posted - n.done) }

// An operation's cookie says how much is done when it is: the counters, and the bytes of the send
// buffer. Completions come in order, so not every operation needs one.

func (c *Conn) cookie() uint64 {
	return uint64(c.ops.posted)<<48 | uint64(c.ctl.posted)<<32 | uint64(uint32(c.send.Posted))
}

// done takes the completion of an operation of this side.
func (c *Conn) done(cookie uint64) {
	c.ops.done, c.ctl.done = uint16(cookie>>48), uint16(cookie>>32)
	c.send.Release(uint32(cookie))
	c.sides.Wake(&c.sides.Out)
}

// A long Write is cut into messages, so that the peer reads the first bytes while the next are
// copied. They begin with pieceLeast and grow with what has been written, up to pieceMost: each
// wakes a peer that sleeps, which takes as long as copying much. A peer with bytes on their way to it has something
// to read, so the next Write goes on with as much.
//
// Over shared memory a message is as long as can be, pieceNear: nothing is written there behind a message
// until the peer's process has run, so every message is a wait for a peer that sleeps.
const pieceLeast, pieceMost, pieceNear = 64 << 10, 256 << 10, 1 << 20

// While long messages come or go over shared memory, what a call waits for comes sooner than its goroutine wakes up: the
// other side copies, at some gigabytes per second. So it looks for that long, eagerLooks times, as long as that pays.
const (
	eagerFrom  = 16 << 10
	eagerUntil = 1 << 10 // a shorter message is the end of that
	eagerLooks = 4000    // some 100 µs
)

// expect takes note of a message of n bytes, of this side or of the peer.
func (c *Conn) expect(n int) {
	switch {
	case !c.eager && n >= eagerFrom && c.near && c.l.cfg.Burst >= 0:
		c.eager = true
		event.ProviderOf(c.l.events).SetEager(eagerLooks)
	case c.eager && n < eagerUntil:
		c.eager = false
		event.ProviderOf(c.l.events).SetEager(0)
	}
}

// piece is how much of a Write goes into the next message, after total bytes.
func (c *Conn) piece(total int) int {
	if c.near {
		return pieceNear
	}
	return min(max(pieceLeast, total, c.send.Under()), pieceMost)
}

// room is memory for up to want bytes that may be sent now.
func (c *Conn) room(want int) []byte {
	if c.quiet {
		c.sides.Look()
		if c.quiet {
			return nil
		}
	}
	if c.ops.under() >= dataDepth {
		if !c.sides.Look() || c.ops.under() >= dataDepth {
			return nil
		}
	}
	most := c.tx.Room()
	if most == 0 {
		c.sides.Look()
		most = c.tx.Room()
	}
	if most == 0 {
		return nil
	}
	if c.send.Full() {
		c.sides.Look()
	}
	b, err := c.send.Room(min(want, most))
	if err != nil {
		c.fail(err)
	}
	return b
}

// waitRoom is room, and waits if there is none. If it returns none, the caller looks whether it may
// still write: what has happened meanwhile may be the end.
func (c *Conn) waitRoom(want int) []byte {
	before := c.sides.Handled
	b := c.room(want)
	if len(b) == 0 && c.sides.Handled == before && c.err == nil {
		c.sides.Await(&c.sides.Out)
	}
	return b
}

// data sends the first n bytes of what room has given.
func (c *Conn) data(n int) error {
	from := c.send.Take(n)
	flags := c.counted(n)
	return c.write(from, c.tx.Put(n), rsock.DataMessage(n), flags)
}

// counted counts a data message of n bytes, which is about to be posted, and returns how its completion is told.
func (c *Conn) counted(n int) rdma.Flags {
	c.expect(n)
	c.ops.posted++
	switch {
	case !c.send.Mark(c.ops.posted, dataDepth/4):
		return rdma.NoCompletion
	case c.send.Short() || c.ops.under() > dataDepth/2:
		return 0 // a Write will wait for it
	}
	return rdma.NoWake
}

// write posts a write with its message.
func (c *Conn) write(from mem.Slice, to rsock.Entry, m rsock.Message, flags rdma.Flags) error {
	w := rdma.Write{From: from, To: mem.Remote{Key: mem.Key(to.Key), Addr: to.Addr, Length: uint64(to.Length)}, Cookie: c.cookie()}
	if c.immediate {
		w.Flags, w.Immediate = flags|rdma.WithImmediate, uint32(m)
		return c.rc.PostWrite(w)
	}
	// One post for both: they leave in one piece, and the peer wakes up once.
	w.Flags = rdma.NoCompletion
	s, err := c.message4(m, flags)
	if err == nil {
		err = c.pair.Write(w)
	}
	if err == nil {
		err = c.pair.Send(s)
	}
	if err == nil {
		_, err = c.pair.Post()
	}
	return err
}

// alone posts a message without a write.
func (c *Conn) alone(m rsock.Message, flags rdma.Flags) error {
	if c.immediate {
		// Nothing is written, so any memory of the peer will do; the table is certain to be there.
		return c.rc.PostWrite(rdma.Write{To: mem.Remote{Key: mem.Key(c.peer.Table.Key), Addr: c.peer.Table.Addr}, Cookie: c.cookie(),
			Flags: flags | rdma.WithImmediate, Immediate: uint32(m)})
	}
	s, err := c.message4(m, flags)
	if err != nil {
		return err
	}
	return c.rc.PostSend(s)
}

// message4 is the send of the four bytes of a message. There are as many places for them as messages
// can be under way.
func (c *Conn) message4(m rsock.Message, flags rdma.Flags) (rdma.Send, error) {
	at := c.place
	c.place = (c.place + 1) % messageDepth
	from := c.l.messages.Slice(at*rsock.MessageSize, rsock.MessageSize)
	b, err := stream.Bytes(from)
	if err != nil {
		return rdma.Send{}, err
	}
	rsock.PutMessage(b, m, c.big)
	return rdma.Send{From: from, Cookie: c.cookie(), Flags: flags}, nil
}
