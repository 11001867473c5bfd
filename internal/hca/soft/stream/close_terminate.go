package stream

import (
	"net"
	"time"

	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
	"github.com/godapl/godapl/internal/iwarp"
)

// terminateTime bounds how long a peer may take to accept the responses before a refusal, while it accepts some
// of them.
const terminateTime = 8 * wire.LingerTime

// sendTerminate sends the bytes of which a part is already sent. If the connection ends because this side
// refuses a request, the responses to earlier requests follow, and then the Terminate: it answers one of the
// requests, and the peer treats it as the end of all open ones. A response is a message, which cannot be inside one that
// was cut: the peer would take that for a fault, and never read the Terminate.
func (c *Conn) sendTerminate(conn net.Conn, begun net.Buffers) error {
	c.shared.mu.Lock()
	word := c.terminate
	c.shared.mu.Unlock()
	end := time.Now().Add(terminateTime)
	n, err := begun.WriteTo(conn)
	for err == nil && word != nil {
		if answers := c.nextAnswers(uint64(n)); len(answers) > 0 {
			c.extend(conn, end)
			n, err = answers.WriteTo(conn)
			continue
		}
		if c.markers {
			word = iwarp.AppendMarked(nil, c.out.offset, word, c.crc)
		}
		_, err = conn.Write(word)
		break
	}
	return err
}

// nextAnswers lays out a group of the responses not yet sent, after n more bytes were sent; none once the queue pair is
// closed, which takes it out of its domain. Only the goroutine that owns the stream after the flush calls it. A
// goroutine that frees a region waits for the gate; the bytes laid out are copies.
func (c *Conn) nextAnswers(n uint64) net.Buffers {
	o := &c.out
	c.q.Tx.Lock()
	var deferred core.Deferred
	defer deferred.Finish()
	defer c.LeaveSend()
	o.offset += n
	o.finish()
	o.begin()
	o.limit = groupSize
	for !o.cut && !c.q.Gone.Load() && c.shared.respCount.Load() > 0 && c.room() && c.layResponse(&deferred) {
	}
	if len(o.list) == 0 {
		o.finish()
		return nil
	}
	return append(net.Buffers(nil), o.list...)
}

// extend moves the stream's deadline, but not beyond end, and not while the adapter closes.
func (c *Conn) extend(conn net.Conn, end time.Time) {
	ctx := c.a.Background.Context()
	next := time.Now().Add(wire.LingerTime)
	if ctx.Err() != nil || next.After(end) {
		return
	}
	_ = conn.SetDeadline(next)
	if ctx.Err() != nil {
		hasten(conn)
	}
}

// hasten sets a short deadline, because the adapter closes.
func hasten(conn net.Conn) { _ = conn.SetDeadline(time.Now().Add(wire.LingerTime / 8)) }
