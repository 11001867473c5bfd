package stream

import (
	"io"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
	"github.com/godapl/godapl/internal/iwarp"
)

// A connection whose message waits for a receive reads nothing meanwhile, so it would notice the end of the
// stream only after the wait. The poller reports the end, and the reaction depends on how the stream ended:
//
//   - lost: the connection is broken at once;
//   - ended inside a message, the waiting one or a later one: broken at once too,
//     because that message can never be complete;
//   - ended after whole messages, which is how an orderly end looks: the program
//     gets them if it posts receives in time. The wait continues.

// checkEndOfStream checks whether the stream has ended. It is called inside rx whenever a message has found no
// receive.
func (c *Conn) checkEndOfStream(deferred *core.Deferred) {
	told, err := c.w.Ended()
	switch {
	case err != nil:
		c.fail(hca.EventBroken, hca.Wrap(hca.Broken, "connection", "", "the stream was lost", err), nil, deferred)
	case !told || c.fin.Swap(true):
	default:
		cut, err := c.endsInsideMessage()
		switch {
		case err != nil:
			c.fail(hca.EventBroken, hca.Wrap(hca.Broken, "connection", "", "the stream was lost", err), nil, deferred)
			return
		case cut:
			c.fail(hca.EventBroken, hca.NewError(hca.Broken, "connection", "", "the stream ended inside a message"), nil, deferred)
			return
		}
		c.w.ArmEnd(false) // the stream can still be lost, and a polling consumer arms nothing
	}
}

// endsInsideMessage reads the rest of a stream that has ended, as far as there is room, and reports whether it
// ends inside a message. An error tells that it was lost: with TLS, its end without the peer's alert.
func (c *Conn) endsInsideMessage() (bool, error) {
	in := &c.in
	if in.big == nil {
		in.enlarge()
	}
	in.w = copy(in.buf, in.buf[in.r:in.w])
	in.r = 0
	for in.w < len(in.buf) {
		n, err := c.w.Read(in.buf[in.w:])
		switch {
		case err == io.EOF:
			return c.cut(in.buf[:in.w]), nil
		case err == wire.ErrAgain:
			return false, nil
		case err != nil:
			return false, err
		}
		in.w += n
		c.bytesRead.Add(int64(n))
	}
	return false, nil // it will be handled in order
}

// cut reports whether bytes that begin with an FPDU end inside a message. Malformed bytes are handled in order,
// later.
func (c *Conn) cut(b []byte) bool {
	open := false
	for len(b) > 0 {
		ulpdu, used, _, err := iwarp.ParseFPDU(b, c.crc)
		if err != nil {
			return false
		}
		if used == 0 {
			return true
		}
		var s iwarp.Segment
		if iwarp.ParseSegment(ulpdu, &s) != nil {
			return false
		}
		open = !s.Last
		b = b[used:]
	}
	return open
}
