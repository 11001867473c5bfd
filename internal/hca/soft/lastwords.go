package soft

import (
	"net"

	"github.com/godapl/godapl/internal/iwarp"
)

// lastWords sends what had begun to go out. If the connection ends because this side
// refuses a request, the answers to those before it follow, and then the refusal: it
// is the answer to one of them, and the peer takes it for the end of all that are open.
func (c *tcpConn) lastWords(conn net.Conn, begun net.Buffers) error {
	c.mid.mu.Lock()
	word := c.lastWord
	c.mid.mu.Unlock()
	n, err := begun.WriteTo(conn)
	for err == nil && word != nil {
		if answers := c.nextAnswers(uint64(n)); len(answers) > 0 {
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

// nextAnswers lays out a group of those still owed, when n octets more have gone out. It
// is for the one goroutine that has the stream once everything is flushed. Freeing a
// region waits for the gate; what was laid out are copies.
func (c *tcpConn) nextAnswers(n uint64) net.Buffers {
	o := &c.out
	c.q.tx.lock()
	var af after
	defer c.q.leave(&af)
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
