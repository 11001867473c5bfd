package stream

import (
	"io"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/errno"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/hca/soft/recvhalf"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
	"github.com/godapl/godapl/internal/iwarp"
)

// receiver is the receive half of a connection. The rx gate guards it.
type receiver struct {
	incoming
	part progress.IdleTimer // of the incomplete FPDU

	any     bool // a whole FPDU has arrived
	closed  bool // nothing is read any more
	flushed bool // the receives have been flushed

	// The current Send.
	recvhalf.Message
	msn iwarp.MSN // of the next message
	op  iwarp.Opcode
	inv iwarp.STag
	off uint64

	// The current tagged message.
	tagged   bool
	taggedOp iwarp.Opcode
	written  uint64 // bytes of the latest Write

	// The read or atomic of this side whose response is arriving.
	read    pending
	reading bool

	request iwarp.MSN // of the next Read or Atomic Request
	answer  iwarp.MSN // of the next Atomic Response

	wakeSend bool // the send half has something new to do
	bulk     int  // see yieldToPeer

	frames, bytes int // what may still be handled in this run
}

// One run of a connection ends after this number of bytes read or of FPDUs handled; then other connections run.
// With small FPDUs the number of FPDUs determines the time, and counting them needs no clock.
const (
	rxRunBytes = 2 * rxBuffer
	rxFrames   = 256
)

func (in *receiver) init() {
	in.msn, in.request, in.answer = iwarp.FirstMSN, iwarp.FirstMSN, iwarp.FirstMSN
}

// runRx runs the receive half if no other goroutine does.
func (c *Conn) runRx() (more, inside bool) {
	if !c.rx.Enter() {
		return false, false
	}
	return c.finishRecv(), true
}

// finishRecv reads and handles what has arrived, and leaves rx. If it returns true, there is more, and the caller
// schedules another run.
func (c *Conn) finishRecv() (more bool) {
	var deferred core.Deferred
	return c.finishRecvWith(&deferred)
}

func (c *Conn) finishRecvWith(deferred *core.Deferred) (more bool) {
	c.in.frames, c.in.bytes = rxFrames, rxRunBytes
	for marks := 0; ; marks++ {
		more = c.pumpRx(deferred, marks > 0) // the parked consumer who left a mark reads no more
		kick := c.in.wakeSend
		c.in.wakeSend = false
		again := c.rx.Leave()
		for again && (more || marks == core.RxMarks) {
			more = true // the caller schedules another run, which looks again
			again = c.rx.Leave()
		}
		if !again {
			if kick {
				c.RunSend()
			}
			deferred.Finish()
			return more
		}
		c.in.wakeSend = kick
	}
}

// pumpRx reports whether it stopped because its budget is used up. With drain it reads until the stream says that it is
// empty: the end may be behind the last bytes.
func (c *Conn) pumpRx(deferred *core.Deferred, drain bool) bool {
	in := &c.in
	if c.resumable.Load() {
		c.resumable.Store(false) // before it reads
	}
	if c.q.State.Load() == core.StateOver {
		c.pumpRxOver(deferred)
		return false
	}
	for in.bytes > 0 {
		if !c.parse(deferred) {
			return false
		}
		if in.frames == 0 {
			return true
		}
		in.hold()
		room := len(in.buf) - in.w
		n, err := c.w.Read(in.buf[in.w:])
		switch err {
		case nil:
			in.w += n
			in.bytes -= n
			if n >= bulkPiece {
				in.bulk = bulkBreaths
			}
			c.bytesRead.Add(int64(n))
			if n < room && !drain {
				// The stream is empty now. Another read would cost as much as all the rest; arming tells if
				// something arrived meanwhile.
				if c.parse(deferred) && in.frames == 0 {
					return true
				}
				c.idle(deferred)
				return false
			}
		case wire.ErrAgain:
			if in.bulk > 0 {
				in.bulk--
				yieldToPeer()
			}
			c.idle(deferred)
			return false
		default:
			c.streamEnded(err, deferred)
			return false
		}
	}
	return c.parse(deferred)
}

// idle releases the buffer of a connection that waits for bytes, unless a consumer polls it together with only
// a few others.
func (c *Conn) idle(deferred *core.Deferred) {
	in := &c.in
	polled := c.Polled.Load()
	if polled {
		c.a.Background.Watch(c) // the watch notices when the polling stops
	}
	switch {
	case in.r != in.w:
		c.unfinished(deferred)
	case c.unfinishedRecord(deferred):
	case !polled || c.crowded():
		in.drop()
	}
}

// releaseBuffer is idle for a connection that nobody polls any more.
func (c *Conn) releaseBuffer() {
	if c.crowded() || !c.rx.TryEnter() {
		return // idle has done it, or the goroutine inside will
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

// crowded reports whether a queue serves so many connections that a poll does not suggest that bytes for this
// one are expected.
func (c *Conn) crowded() bool { return !c.q.SendCQ.FewConns() || !c.q.RecvCQ.FewConns() }

// parse handles whole FPDUs, within the budget. It returns false if nothing more may be read now.
func (c *Conn) parse(deferred *core.Deferred) bool {
	in := &c.in
	if in.closed {
		return false
	}
	for in.r < in.w {
		if c.q.State.Load() == core.StateOver {
			c.pumpRxOver(deferred)
			return false
		}
		if in.frames == 0 {
			return true
		}
		in.frames--
		if in.any && c.wholeSend(in.buf[in.r:in.w], deferred) {
			continue
		}
		ulpdu, used, _, err := iwarp.ParseFPDU(in.buf[in.r:in.w], c.crc)
		if err != nil {
			c.malformed(err, nil, deferred)
			return false
		}
		if used == 0 {
			return true
		}
		var s iwarp.Segment
		if err := iwarp.ParseSegment(ulpdu, &s); err != nil {
			c.malformed(err, ulpdu, deferred)
			return false
		}
		switch c.handle(&s, ulpdu, deferred) {
		case core.Handled:
			in.r += used
			if !in.any {
				in.any = true
			}
		case core.MustWait:
			c.checkEndOfStream(deferred)
			return false // until a receive is posted
		case core.Failed:
			return false
		}
	}
	return true
}

// streamEnded handles the peer's FIN, or the loss of the stream.
func (c *Conn) streamEnded(err error, deferred *core.Deferred) {
	in := &c.in
	c.shared.mu.Lock()
	reads := len(c.shared.reads)
	c.shared.mu.Unlock()
	if err == io.EOF && c.wasReset() {
		err = errno.Reset
	}
	switch {
	case err != io.EOF:
		c.fail(hca.EventBroken, hca.Wrap(hca.Broken, "connection", "", "the stream was lost", err), nil, deferred)
	case in.r != in.w || in.HasCur || in.tagged:
		c.fail(hca.EventBroken, hca.NewError(hca.Broken, "connection", "", "the stream ended inside a message"), nil, deferred)
	case reads > 0 || in.reading:
		c.fail(hca.EventBroken, hca.NewError(hca.Broken, "connection", "", "the stream ended before our reads were answered"), nil, deferred)
	default:
		c.fail(hca.EventDisconnected, hca.NewError(hca.Disconnected, "connection", "", "the peer disconnected"), nil, deferred)
	}
}

// wasReset reports whether an apparently orderly end of the stream was a reset. The system reports a reset to
// only one caller, which may be a write at this very moment.
func (c *Conn) wasReset() bool {
	if t, held := gate.Watch(&c.q.Tx.Word); held {
		t.Wait()
	}
	return c.reset.Load()
}

// pumpRxOver flushes the receives once. From here on nothing is placed; the send half waits for that before it
// flushes requests that expect a response: see settled.
func (c *Conn) pumpRxOver(deferred *core.Deferred) {
	in := &c.in
	if in.closed && in.flushed {
		return
	}
	in.closed = true
	core.RunStepHook(c.q, "shut")
	c.noPlacing.Store(true)
	in.wakeSend = true // the send half may wait for that
	in.part.Stop()
	in.drop()
	in.rest = nil
	if !in.flushed {
		in.flushed = true
		in.Flush(c.q, deferred)
	}
}
