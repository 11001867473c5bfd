package stream

import (
	"errors"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// A peer may be silent for any time, but it must continue what it has begun: the sending of an FPDU, and the
// acceptance of bytes that are sent to it. Otherwise anybody with access to the port could make any number of
// connections hold memory for ever, by sending half an FPDU or by reading nothing.

// progressTime is how long one half of a connection may make no progress in the middle of something before the
// connection is broken; detection takes at most twice that. TCP recovers from most losses of the network in
// less time.
const progressTime = time.Minute

// smallRest is the largest part of an FPDU that is put aside at once when nobody polls.
const smallRest = 2 << 10

var errTakesNothing = errors.New("the peer has not read anything for " + progressTime.String() + " or longer")

// unfinished is called inside rx when there is nothing more to read and part of an FPDU is there.
func (c *Conn) unfinished(deferred *core.Deferred) {
	in := &c.in
	if in.closed || c.stalled.Load() {
		return // it waits for this side, not for the peer
	}
	at := c.bytesRead.Load() - int64(in.w-in.r)
	slow, over := in.part.Still(at, progressTime, c)
	switch {
	case over:
		c.fail(hca.EventBroken, hca.NewError(hca.Broken, "connection", "", "the peer has begun a frame and not finished it in "+progressTime.String()), nil, deferred)
	case !c.Polled.Load() && (slow || in.w-in.r <= smallRest || in.dribbling(at)):
		in.putAside(at)
	}
}

// records is a wire whose bytes arrive in records, of which it returns the whole ones.
type records interface {
	// Partial reports whether part of a record is there, and its position in the stream below.
	Partial() (at int64, yes bool)
}

// unfinishedRecord is unfinished for part of a record that carries the next bytes. It reports whether the connection
// has ended.
func (c *Conn) unfinishedRecord(deferred *core.Deferred) (over bool) {
	if c.records == nil || c.in.closed || c.stalled.Load() {
		return false
	}
	at, yes := c.records.Partial()
	if !yes {
		return false
	}
	// A record without bytes of iWARP leaves bytesRead as it is. The positions of FPDUs are not negative.
	if _, over = c.in.part.Still(^at, progressTime, c); over {
		c.fail(hca.EventBroken, hca.NewError(hca.Broken, "connection", "", "the peer has begun a TLS record and not finished it in "+progressTime.String()), nil, deferred)
	}
	return over
}

// writeStalled is called inside tx when the stream accepts nothing. It reports whether that has lasted too long.
func (c *Conn) writeStalled() bool {
	// A peer of this library reads nothing while a message of ours waits for a receive.
	d := max(progressTime, c.a.ReceiveWait)
	_, over := c.out.progress.Still(int64(c.out.offset), d, c.q)
	return over
}
