package rdma_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/godapl/godapl/rdma"
)

func (h *faceRun) startSenders() {
	for _, c := range h.c {
		seed := h.r.Uint64()
		h.start(func() {
			s := &faceSender{faceRun: h, c: c, r: rand.New(rand.NewPCG(seed, 3)), content: make([]byte, h.size)}
			if s.send() {
				s.end()
			}
		})
	}
}

// faceSender is the side x of a connection.
type faceSender struct {
	*faceRun
	c       *faceConn
	r       *rand.Rand
	out     int // messages that are not complete
	content []byte
}

// send sends the messages, or those before the cut. It returns false if the connection has ended before.
func (s *faceSender) send() bool {
	for seq := range s.messages {
		if !s.reap(faceWindow-1) || !s.dally() {
			return false
		}
		if (s.c.end == "abort" || s.c.end == "peer") && seq == s.c.cut {
			return true
		}
		if err := s.post(seq); err != nil {
			if !s.c.abrupt() || !isEnd(err) && !(s.c.end == "peer" && errors.Is(err, rdma.ErrPrivileges)) {
				s.fail("sender %d, message %d: %v", s.c.i, seq, err)
			}
			return false
		}
		s.out++
		if s.shape == "ping" && seq < s.messages-1 && !s.pong() {
			return false
		}
	}
	return true
}

// dally changes how many messages are under way.
func (s *faceSender) dally() bool {
	switch s.r.IntN(12) {
	case 0:
		s.pause(s.r, 2500)
	case 1, 2:
		runtime.Gosched()
	case 3:
		return s.reap(0)
	}
	return true
}

func (s *faceSender) post(seq int) error {
	c := s.c
	slot := seq % faceWindow
	s.fill(s.content, c.i, seq)
	// With the end "peer" another sender may have closed the adapter. Then WriteAt fails, and the post shows it.
	c.x.mem.WriteAt(s.content, int64(slot*s.size))
	from := c.x.mem.Slice(slot*s.size, s.size)
	if s.writes && seq >= faceWindow { // y must have read what was written there before
		select {
		case <-c.credits:
		case <-c.x.conn.Context().Done():
		}
	}
	if s.writes && s.r.IntN(2) == 0 {
		to := c.y.mem.Slice(c.writeAt+slot*s.size, s.size).Remote()
		return c.x.conn.PostWrite(rdma.Write{From: from, To: to, Flags: rdma.WithImmediate, Immediate: uint32(seq)})
	}
	return c.x.conn.PostSend(rdma.Send{From: from})
}

// pong waits for the answer to a message.
func (s *faceSender) pong() bool {
	_, _, err := s.c.x.conn.RecvCompletions().WaitTimeout(3*patience, 1)
	if err != nil && s.ctx.Err() == nil && !s.c.abrupt() {
		s.fail("the answer for sender %d: %v", s.c.i, err)
		return false
	}
	return true
}

// reap takes completions until at most so many messages are out.
func (s *faceSender) reap(most int) bool {
	var buf [8]rdma.Completion
	for s.out > most {
		n, err := s.completions(buf[:])
		if err != nil {
			if !s.c.abrupt() && s.ctx.Err() == nil {
				s.fail("sender %d: %v, %d are out", s.c.i, err, s.out)
			}
			return false
		}
		s.progress.Add(1)
		s.out -= n
		for _, e := range buf[:n] {
			if e.Status != rdma.StatusOK && !s.c.abrupt() {
				s.fail("sender %d: %v", s.c.i, e.Err())
			}
		}
	}
	return true
}

func (s *faceSender) completions(buf []rdma.Completion) (int, error) {
	d := s.c.x.conn.SendCompletions()
	switch s.r.IntN(4) {
	case 0:
		return d.WaitBatch(s.ctx, buf)
	case 1:
		defer d.StopChan()
		e, ok := <-d.C()
		if !ok {
			return 0, d.Err()
		}
		buf[0] = e
		return 1, nil
	}
	return d.WaitBatchTimeout(3*patience, buf)
}

// startReplies takes the completions of answers that y's readers do not see.
func (h *faceRun) startReplies() {
	if !h.answersApart() && h.face != "recv" {
		return
	}
	for _, c := range h.c {
		h.start(func() { h.reapAnswers(c) })
	}
}

// reapAnswers returns when the dispatcher is closed or no answer can follow.
func (h *faceRun) reapAnswers(c *faceConn) {
	d := c.y.conn.SendCompletions()
	defer d.StopChan()
	ch := d.C()
	for {
		over := false
		select {
		case _, ok := <-ch:
			if !ok {
				return
			}
			h.progress.Add(1)
			h.mu.Lock()
			c.answers--
			over = c.answers == 0 && c.dead
			h.mu.Unlock()
		case <-time.After(20 * time.Millisecond): // the end of the receives comes without an event here
			h.mu.Lock()
			over = c.answers == 0 && (c.dead || c.flushed > 0 || c.closed || h.gone)
			h.mu.Unlock()
			over = over || h.ctx.Err() != nil
		}
		if over {
			return
		}
	}
}
