package stream

import (
	"io"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
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

// endWhileWaiting checks whether the stream has ended. It is called inside rx whenever a message has found no
// receive.
func (c *Conn) endWhileWaiting(af *core.Deferred) {
	told, err := c.w.Ended()
	switch {
	case err != nil:
		c.fail(hca.EventBroken, hca.Wrap(hca.Broken, "connection", "", "the stream was lost", err), nil, af)
	case !told || c.fin.Swap(true):
	case c.torn():
		c.fail(hca.EventBroken, hca.NewError(hca.Broken, "connection", "", "the stream ended inside a message"), nil, af)
	default:
		c.w.ArmEnd(false) // the stream can still be lost, and a polling consumer arms nothing
	}
}

// torn reads the rest of a stream that has ended, as far as there is room, and reports whether it ends inside a
// message.
func (c *Conn) torn() bool {
	in := &c.in
	if in.big == nil {
		in.enlarge()
	}
	in.w = copy(in.buf, in.buf[in.r:in.w])
	in.r = 0
	for in.w < len(in.buf) {
		n, err := c.w.Read(in.buf[in.w:])
		if err == io.EOF {
			return c.cut(in.buf[:in.w])
		}
		if err != nil {
			return false
		}
		in.w += n
		c.taken.Add(int64(n))
	}
	return false // it will be handled in order
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
