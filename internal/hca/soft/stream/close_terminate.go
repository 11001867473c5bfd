package stream

import (
	"net"
	"time"

	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/iwarp"
)

// partingTime bounds how long a peer may take over the answers before a refusal, as long
// as it takes some of them.
const partingTime = 8 * lingerTime

// sendTerminate sends what had begun to go out. If the connection ends because this side
// refuses a request, the answers to those before it follow, and then the refusal: it
// is the answer to one of them, and the peer takes it for the end of all that are open.
func (c *Conn) sendTerminate(conn net.Conn, begun net.Buffers) error {
	c.mid.mu.Lock()
	word := c.terminate
	c.mid.mu.Unlock()
	end := time.Now().Add(partingTime)
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

// nextAnswers lays out a group of those still owed, when n bytes more have gone out. It
// is for the one goroutine that has the stream once everything is flushed. Freeing a
// region waits for the gate; what was laid out are copies.
func (c *Conn) nextAnswers(n uint64) net.Buffers {
	o := &c.out
	c.q.Tx.Lock()
	var af core.Deferred
	defer c.leave(&af)
	o.offset += n
	o.finish()
	o.begin()
	o.limit = groupSize
	for c.mid.owed.Load() > 0 && c.room() && c.layResponse(&af) {
	}
	if len(o.list) == 0 {
		o.finish()
		return nil
	}
	return append(net.Buffers(nil), o.list...)
}

// extend gives the peer more time, but not beyond end, nor while the adapter is closed.
func (c *Conn) extend(conn net.Conn, end time.Time) {
	ctx := c.a.Background.Context()
	next := time.Now().Add(lingerTime)
	if ctx.Err() != nil || next.After(end) {
		return
	}
	_ = conn.SetDeadline(next)
	if ctx.Err() != nil {
		hasten(conn)
	}
}

// hasten gives a stream little time, because the adapter is closed.
func hasten(conn net.Conn) { _ = conn.SetDeadline(time.Now().Add(lingerTime / 8)) }
