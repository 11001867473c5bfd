package stream

import (
	"io"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/iwarp"
)

// receiver is the receiving half of a connection. It is guarded by the rx gate.
type receiver struct {
	incoming
	part idleTimer // of the FPDU that is incomplete

	any     bool // a whole FPDU has come
	closed  bool // nothing is looked at any more
	flushed bool // the receives have been flushed

	// The Send whose segments are coming in.
	msn   iwarp.MSN // of the next message
	cur   core.Receive
	curOn bool
	op    iwarp.Opcode
	inv   iwarp.STag
	off   uint64
	stall progress.WaitTimer

	// The tagged message whose segments are coming in.
	tagged   bool
	taggedOp iwarp.Opcode
	written  uint64 // bytes of the latest Write

	// The read or atomic of ours whose answer is coming in.
	read    pending
	reading bool

	request iwarp.MSN // of the next Read or Atomic Request
	answer  iwarp.MSN // of the next Atomic Response

	kick bool // the sender has something new
	bulk int  // see breathe

	frames, bytes int // so many more are handled in this turn
}

// A turn of a connection ends with so many bytes taken, or so many FPDUs handled,
// whichever is first: the others wait for their turns meanwhile. With small FPDUs it is
// the FPDUs that take the time, and no clock is read to find that out.
const (
	rxTurn   = 2 * rxBuffer
	rxFrames = 256
)

func (in *receiver) init() {
	in.msn, in.request, in.answer = iwarp.FirstMSN, iwarp.FirstMSN, iwarp.FirstMSN
}

// runRx reads if nobody else does.
func (c *Conn) runRx() (more, inside bool) {
	if !c.rx.Enter() {
		return false, false
	}
	return c.readOn(), true
}

// readOn reads and handles what there is, and leaves rx. If it reports that there is more,
// the caller has the engine go on.
func (c *Conn) readOn() (more bool) {
	var af core.Deferred
	return c.readOnWith(&af)
}

func (c *Conn) readOnWith(af *core.Deferred) (more bool) {
	c.in.frames, c.in.bytes = rxFrames, rxTurn
	for marks := 0; ; marks++ {
		more = c.pumpRx(af)
		kick := c.in.kick
		c.in.kick = false
		again := c.rx.Leave()
		for again && (more || marks == core.RxMarks) {
			more = true // the caller comes back, in another turn, and looks then
			again = c.rx.Leave()
		}
		if !again {
			if kick {
				c.RunSend()
			}
			af.Finish()
			return more
		}
		c.in.kick = kick
	}
}

// pumpRx reports whether it stopped for having done enough.
func (c *Conn) pumpRx(af *core.Deferred) bool {
	in := &c.in
	if c.came.Load() {
		c.came.Store(false) // before the look at what has come
	}
	if c.q.State.Load() == core.StateOver {
		c.pumpRxOver(af)
		return false
	}
	for in.bytes > 0 {
		if !c.parse(af) {
			return false
		}
		if in.frames == 0 {
			return true
		}
		in.hold()
		room := len(in.buf) - in.w
		n, err := c.w.read(in.buf[in.w:])
		switch err {
		case nil:
			in.w += n
			in.bytes -= n
			if n >= bulkPiece {
				in.bulk = bulkBreaths
			}
			c.taken.Add(int64(n))
			if n < room {
				// That was all there is. To ask once more would cost as much
				// as all the rest; arming tells if something came meanwhile.
				if c.parse(af) && in.frames == 0 {
					return true
				}
				c.idle(af)
				return false
			}
		case errAgain:
			if in.bulk > 0 {
				in.bulk--
				breathe()
			}
			c.idle(af)
			return false
		default:
			c.streamEnded(err, af)
			return false
		}
	}
	return c.parse(af)
}

// idle gives the buffer of a connection back that waits for bytes, unless
// somebody polls it, and not many others.
func (c *Conn) idle(af *core.Deferred) {
	in := &c.in
	switch {
	case in.r != in.w:
		c.unfinished(af)
	case !c.Polled.Load() || c.crowded():
		in.drop()
	default:
		c.a.Background.Watch(c) // which sees when that is over
	}
}

// giveBack is idle for a connection that nobody polls any more.
func (c *Conn) giveBack() {
	if c.crowded() || !c.rx.TryEnter() {
		return // idle has done it, or whoever is inside will
	}
	if in := &c.in; in.r == in.w {
		in.drop()
	}
	marked := false
	for c.rx.Leave() {
		marked = true
	}
	if marked {
		c.Schedule() // the caller may be in the middle of arming
	}
}

// crowded tells whether a queue is of so many connections that polling it is no
// sign of bytes to come for this one.
func (c *Conn) crowded() bool { return !c.q.SendCQ.FewConns() || !c.q.RecvCQ.FewConns() }

// parse handles whole FPDUs, as many as are left of the turn. It reports false if
// nothing more shall be read now.
func (c *Conn) parse(af *core.Deferred) bool {
	in := &c.in
	if in.closed {
		return false
	}
	for in.r < in.w {
		if c.q.State.Load() == core.StateOver {
			c.pumpRxOver(af)
			return false
		}
		if in.frames == 0 {
			return true
		}
		in.frames--
		if in.any && c.wholeSend(in.buf[in.r:in.w], af) {
			continue
		}
		ulpdu, used, _, err := iwarp.ParseFPDU(in.buf[in.r:in.w], c.crc)
		if err != nil {
			c.malformed(err, nil, af)
			return false
		}
		if used == 0 {
			return true
		}
		var s iwarp.Segment
		if err := iwarp.ParseSegment(ulpdu, &s); err != nil {
			c.malformed(err, ulpdu, af)
			return false
		}
		switch c.handle(&s, ulpdu, af) {
		case core.Handled:
			in.r += used
			if !in.any {
				in.any = true
				c.firstFrame()
			}
		case core.MustWait:
			c.endWhileWaiting(af)
			return false // until a receive is posted
		case core.Failed:
			return false
		}
	}
	return true
}

// streamEnded handles the peer's FIN, or the loss of the stream.
func (c *Conn) streamEnded(err error, af *core.Deferred) {
	in := &c.in
	c.mid.mu.Lock()
	reads := len(c.mid.reads)
	c.mid.mu.Unlock()
	if err == io.EOF && c.wasReset() {
		err = core.ErrnoReset
	}
	switch {
	case err != io.EOF:
		c.fail(hca.EventBroken, hca.Wrap(hca.Broken, "connection", "", "the stream was lost", err), nil, af)
	case in.r != in.w || in.curOn || in.tagged:
		c.fail(hca.EventBroken, hca.NewError(hca.Broken, "connection", "", "the stream ended inside a message"), nil, af)
	case reads > 0 || in.reading:
		c.fail(hca.EventBroken, hca.NewError(hca.Broken, "connection", "", "the stream ended before our reads were answered"), nil, af)
	default:
		c.fail(hca.EventDisconnected, hca.NewError(hca.Disconnected, "connection", "", "the peer disconnected"), nil, af)
	}
}

// wasReset tells whether what looks like an orderly end to the reader was a
// reset. The system reports one to the first who asks, which may be the sender
// at this very moment.
func (c *Conn) wasReset() bool {
	if t, held := gate.Watch(&c.q.Tx.Word); held {
		t.Wait()
	}
	return c.reset.Load()
}

// pumpRxOver flushes the receives, once. From here on nothing is placed, which the sending
// half waits for before it flushes what the peer answers: see settled.
func (c *Conn) pumpRxOver(af *core.Deferred) {
	in := &c.in
	if in.closed && in.flushed {
		return
	}
	in.closed = true
	core.AtStep(c, "shut")
	c.shut.Store(true)
	in.kick = true // the sender may wait for that
	in.stall.Clear()
	in.part.stop()
	in.drop()
	in.rest = nil
	if !in.flushed {
		in.flushed = true
		on := in.curOn
		in.curOn = false
		c.q.FlushRecv(&in.cur, on, af)
	}
}

// firstFrame lets a responder send, now that the initiator has shown that it
// is past the start-up.
func (c *Conn) firstFrame() {
	if !c.initiator {
		c.talk.Store(true)
		c.in.kick = true
	}
}
