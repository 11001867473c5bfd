package rdma_test

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/godapl/godapl/rdma"
)

// Cookies that are not the number of a receive.
const (
	faceAnswer = 1 << 40
	faceMark   = 1 << 50
)

// isEnd is whether the error tells that a connection has ended.
func isEnd(err error) bool {
	for _, code := range []rdma.Code{rdma.ErrState, rdma.ErrDisconnected, rdma.ErrBroken, rdma.ErrClosed} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}

// excused is whether a call of y may fail so: the connection has ended, or the closed adapter has freed the memory.
// It is called with the lock.
func (h *faceRun) excused(err error) bool {
	return isEnd(err) || h.gone && errors.Is(err, rdma.ErrPrivileges)
}

func (h *faceRun) isGone() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.gone
}

// body is what a message has behind its head.
func (h *faceRun) body(conn, seq int) []byte {
	off := (conn*613 + seq*131) % 8000
	return h.table[off : off+h.size-8]
}

func (h *faceRun) fill(b []byte, conn, seq int) {
	binary.LittleEndian.PutUint32(b, uint32(conn))
	binary.LittleEndian.PutUint32(b[4:], uint32(seq))
	copy(b[8:h.size], h.body(conn, seq))
}

func (h *faceRun) check(b []byte, conn, seq int) {
	if h.gone {
		return // the memory is freed
	}
	if c, s := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]); int(c) != conn || int(s) != seq {
		h.fail("content: connection %d, message %d has the head %d %d", conn, seq, c, s)
	} else if !bytes.Equal(b[8:h.size], h.body(conn, seq)) {
		h.fail("content: connection %d, message %d differs", conn, seq)
	}
}

// postRecv is called with the lock.
func (h *faceRun) postRecv(c *faceConn) {
	if c.dead {
		return
	}
	k := c.posted
	slot := int(k) % h.depth
	if err := c.y.conn.PostRecv(rdma.Recv{Into: c.y.mem.Slice(slot*h.size, h.size), Cookie: k}); err != nil {
		c.dead = true
		if !h.excused(err) {
			h.fail("PostRecv: %v", err)
		}
		return
	}
	c.posted++
}

// postShared is called with the lock.
func (h *faceRun) postShared(slot int) {
	k := h.srqNext
	h.srqNext++
	if err := h.srq.PostRecv(rdma.Recv{Into: h.srqMem.Slice(slot*h.size, h.size), Cookie: k}); err != nil {
		if !h.gone {
			h.fail("shared PostRecv: %v", err)
		}
		return
	}
	h.srqOut[k] = slot
}

// answer is called with the lock.
func (h *faceRun) answer(c *faceConn) {
	err := c.y.conn.PostSend(rdma.Send{From: c.y.mem.Slice(0, 0), Cookie: faceAnswer})
	switch {
	case err == nil:
		c.answers++
	case !h.excused(err) && !errors.Is(err, rdma.ErrQueueFull):
		h.fail("answer: %v", err)
	}
}

// message accounts for one that came; b is its content, if it was sent. It is called with the lock.
func (h *faceRun) message(c *faceConn, e *rdma.Completion, b []byte) {
	seq := c.got
	c.got++
	if e.Op == rdma.OpRecvWriteImm {
		if int(e.Immediate) != seq {
			h.fail("connection %d: immediate data %d, want %d", c.i, e.Immediate, seq)
		}
		b = c.yBytes[c.writeAt+seq%faceWindow*h.size:]
	} else if e.Length != h.size {
		h.fail("connection %d: length %d, want %d", c.i, e.Length, h.size)
	}
	h.check(b, c.i, seq)
	select {
	case c.credits <- struct{}{}:
	default:
	}
	if h.answers() {
		h.answer(c)
	}
	if c.end == "adapter" && c.i == 0 && c.got >= c.cut {
		h.endAdapter()
	}
	if c.end == "own" && c.got >= c.cut {
		h.endOwn(c)
	}
}

// take accounts for completions, and tells the reader whether to stop.
func (h *faceRun) take(q *faceQueue, list []rdma.Completion) (stop bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.progress.Add(1)
	for i := range list {
		e := &list[i]
		if e.Endpoint == nil && e.Cookie == faceMark {
			h.marked = true
			continue
		}
		q.quota--
		c := h.c[e.Endpoint.Tag()]
		switch {
		case e.Cookie == faceAnswer:
			c.answers--
			if e.Status != rdma.StatusOK && e.Status != rdma.StatusFlushed && !c.abrupt() {
				h.fail("connection %d: answer: %v", c.i, e.Err())
			}
		case h.srq != nil:
			h.takeShared(c, e)
		default:
			h.takeRecv(c, e)
		}
	}
	return h.over(q) || q.quota <= 0
}

// takeShared is called with the lock. The connections share the receives, so only their set is known.
func (h *faceRun) takeShared(c *faceConn, e *rdma.Completion) {
	slot, ok := h.srqOut[e.Cookie]
	if !ok {
		h.fail("cookie %d is not outstanding", e.Cookie)
		return
	}
	delete(h.srqOut, e.Cookie)
	if e.Status == rdma.StatusOK {
		h.message(c, e, h.srqBytes[slot*h.size:])
	} else {
		c.flushed++
	}
	h.postShared(slot)
}

// takeRecv is called with the lock.
func (h *faceRun) takeRecv(c *faceConn, e *rdma.Completion) {
	if e.Cookie != c.next || e.Cookie >= c.posted {
		h.fail("connection %d: cookie %d, want %d (%v)", c.i, e.Cookie, c.next, e)
	}
	c.next++
	if e.Status != rdma.StatusOK {
		c.flushed++
		if e.Status != rdma.StatusFlushed && !c.abrupt() {
			h.fail("connection %d: %v", c.i, e.Err())
		}
		return
	}
	if c.flushed > 0 {
		h.fail("connection %d: a success behind a flush", c.i)
	}
	h.message(c, e, c.yBytes[int(e.Cookie)%h.depth*h.size:])
	h.postRecv(c)
}

// over is whether nothing more comes in the queue. It is called with the lock.
func (h *faceRun) over(q *faceQueue) bool {
	if h.failed.Load() && h.ctx.Err() != nil {
		return true
	}
	if h.marked {
		return true
	}
	for _, c := range q.conns {
		if h.srq != nil {
			if c.abrupt() || c.got < h.messages {
				return false
			}
			continue
		}
		if c.next < c.posted || c.answers > 0 && h.shape == "both" {
			return false
		}
	}
	return true
}

// isOver is over for all queues.
func (h *faceRun) isOver(queues ...*faceQueue) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, q := range queues {
		if !h.over(q) {
			return false
		}
	}
	return true
}
