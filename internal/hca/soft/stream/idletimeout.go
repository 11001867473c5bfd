package stream

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/progress"
)

// A peer may be silent for as long as it likes. What it has begun it has to go
// on with: an FPDU that it sends, and taking what is sent to it. Otherwise
// whoever knows the way here could have any number of connections hold memory
// for good, by sending half of something or by reading nothing.

// progressTime is how long one half of a connection may stand still in the
// middle of something before it is broken; it is found out within twice that.
// TCP recovers from most losses of the network in less.
const progressTime = time.Minute

// slowTime is how long an FPDU may be incomplete before the large buffer is
// taken away from under it.
const slowTime = time.Second

// smallRest is up to how many bytes of an FPDU are put aside at once when
// nobody polls.
const smallRest = 2 << 10

var errTakesNothing = errors.New("the peer has not read anything for " + progressTime.String() + " or longer")

// idleTimer watches over one half of a connection, without a clock where things
// move: its timer runs from the first time that the half stands still in the
// middle of something, and has it look whether it is where it was. It is guarded
// by the gate of that half, but for due.
type idleTimer struct {
	at    int64 // where in the stream it stands
	since time.Time
	slow  bool // for slowTime already
	due   atomic.Bool
	timer *time.Timer // nil until it has stood still for the first time
}

// still notes that the half stands still at this place of the stream, and has a
// scheduled when it is time to come again. It reports whether that has lasted
// for slowTime, and whether for d.
func (p *idleTimer) still(at int64, d time.Duration, a progress.Alarm) (slow, over bool) {
	switch {
	case p.timer == nil:
		p.at, p.since = at, time.Now()
		p.timer = time.AfterFunc(slowTime, func() {
			p.due.Store(true)
			a.Schedule()
		})
	case p.at != at && (p.slow || p.due.Load()): // it has moved on, and stands at another place
		p.due.Store(false)
		p.at, p.since, p.slow = at, time.Now(), false
		p.timer.Reset(slowTime)
	case p.at == at && p.due.Load():
		p.due.Store(false)
		lasted := time.Since(p.since)
		p.slow = lasted >= slowTime
		if lasted >= d {
			return true, true
		}
		p.timer.Reset(d - lasted)
	}
	return p.slow, false
}

func (p *idleTimer) stop() {
	if p.timer != nil {
		p.timer.Stop()
	}
}

// unfinished is called inside rx when there is nothing more to read and part of
// an FPDU is there.
func (c *Conn) unfinished(af *core.Deferred) {
	in := &c.in
	if in.closed || c.stalled.Load() {
		return // it waits for us, not for the peer
	}
	at := c.taken.Load() - int64(in.w-in.r)
	slow, over := in.part.still(at, progressTime, c)
	switch {
	case over:
		c.fail(hca.EventBroken, hca.NewError(hca.Broken, "connection", "", "the peer began a frame and has not finished it in "+progressTime.String()), nil, af)
	case !c.Polled.Load() && (slow || in.w-in.r <= smallRest || in.dribbling(at)):
		in.putAside(at)
	}
}

// stuck is called inside tx when the stream takes nothing. It reports whether
// that has lasted too long.
func (c *Conn) stuck() bool {
	// A peer like us reads nothing while a message of ours waits for a receive.
	d := max(progressTime, c.a.ReceiveWait)
	_, over := c.out.progress.still(int64(c.out.offset), d, c.q)
	return over
}
