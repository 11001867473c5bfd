package rdma_test

import (
	"context"
	"runtime"
	"time"

	"github.com/godapl/godapl/rdma"
)

// end ends the connection the way that the row says, behind the sender's last message.
func (s *faceSender) end() {
	check := func(what string, err error) {
		if err != nil && s.ctx.Err() == nil {
			s.fail("%s: %v", what, err)
		}
	}
	switch c := s.c; c.end {
	case "begin":
		check("BeginShutdown", c.x.conn.BeginShutdown())
		s.reap(0)
	case "shutdown":
		ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
		defer cancel()
		check("Shutdown", c.x.conn.Shutdown(ctx))
		s.reap(0)
	case "abort":
		check("Abort", c.x.conn.Abort())
	case "peer":
		if c.i == 0 {
			check("Close", s.xAdapter.Close())
		}
	case "adapter":
		s.mu.Lock()
		s.endAdapter()
		s.mu.Unlock()
	case "own":
		s.endOwn(c)
	}
}

// endOwn ends a connection from the side y, beside its reader.
func (h *faceRun) endOwn(c *faceConn) {
	c.ownEnded.Do(func() {
		h.start(func() {
			if !h.closes() {
				if err := c.y.conn.Abort(); err != nil {
					h.fail("Abort: %v", err)
				}
				return
			}
			if err := c.y.conn.Close(); err != nil {
				h.fail("Close: %v", err)
			}
			h.mu.Lock()
			c.closed = true
			h.mu.Unlock()
		})
	})
}

// endAdapter closes y's adapter beside the readers. It is called with the lock.
func (h *faceRun) endAdapter() {
	if h.gone {
		return
	}
	h.gone = true
	h.start(func() {
		if err := h.yAdapter.Close(); err != nil {
			h.fail("Close: %v", err)
		}
	})
}

// startMark posts a mark behind the end of the last connection. The receives of a shared queue are not flushed, so
// the reader could not know otherwise that no more messages come.
func (h *faceRun) startMark() {
	h.start(func() {
		abrupt := false
		for _, c := range h.c {
			abrupt = abrupt || c.abrupt()
			select {
			case <-c.y.conn.Context().Done():
			case <-h.ctx.Done():
				return
			}
		}
		if !abrupt {
			return
		}
		if err := h.queues[0].d.Post(rdma.Completion{Cookie: faceMark}); err != nil && !h.isGone() {
			h.fail("Post: %v", err)
		}
	})
}

// finished waits until all goroutines of the row are through. Without progress for too long it fails, and ends them.
func (h *faceRun) finished() bool {
	done := make(chan struct{})
	go func() { h.wg.Wait(); close(done) }()
	last, at := int64(-1), time.Now()
	for time.Since(at) < patience {
		select {
		case <-done:
			return true
		case <-time.After(50 * time.Millisecond):
		}
		if n := h.progress.Load(); n != last {
			last, at = n, time.Now()
		}
	}
	h.reportStuck()
	h.cancel()
	h.xAdapter.Close()
	h.yAdapter.Close()
	select {
	case <-done:
	case <-time.After(patience):
		h.t.Fatal("it does not end even with the adapters")
	}
	return false
}

// reportStuck tells which side waits for what.
func (h *faceRun) reportStuck() {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fail("nothing moves for %v", patience)
	for _, c := range h.c {
		requests, receives := c.y.conn.Outstanding()
		sends, _ := c.x.conn.Outstanding()
		h.t.Logf("connection %d: end %s behind %d; %d of %d messages; x %v, %d requests; y %v, %d requests, %d receives; %d of %d receives taken",
			c.i, c.end, c.cut, c.got, h.messages, c.x.conn.State(), sends, c.y.conn.State(), requests, receives, c.next, c.posted)
	}
	for i, q := range h.queues {
		h.t.Logf("queue %d: %v, %d completions, %+v", i, q.d.State(), q.d.Len(), q.d.Stats())
	}
	if h.cq != nil {
		h.t.Logf("completion queue: ready %v, %+v", h.cq.Ready(), h.cq.Stats())
	}
	h.t.Logf("%s", stacks)
}

// checkEnd checks what must hold when the readers have stopped.
func (h *faceRun) checkEnd() {
	var buf [8]rdma.Completion
	for i, q := range h.queues {
		for n := q.d.Poll(buf[:]); n > 0; n = q.d.Poll(buf[:]) {
			if h.srq == nil {
				h.fail("queue %d: %d more than posted: %v", i, n, buf[:n])
				continue
			}
			h.take(q, buf[:n]) // the mark overtakes what the completion queue still holds
		}
	}
	for _, c := range h.c {
		if !c.abrupt() && c.got != h.messages {
			h.fail("connection %d: %d of %d messages", c.i, c.got, h.messages)
		}
		h.checkReported(c)
	}
	if h.srq != nil && !h.gone {
		if n, _ := h.srq.Counts(); n != len(h.srqOut) {
			h.fail("the shared receive queue has %d receives, want %d", n, len(h.srqOut))
		}
	}
}

// checkReported checks that both sides learn of the end of a connection.
func (h *faceRun) checkReported(c *faceConn) {
	for what, s := range map[string]*side{"x": c.x, "y": c.y} {
		select {
		case <-s.conn.Context().Done():
		case <-time.After(patience):
			h.fail("connection %d does not report its end to %s: %v", c.i, what, s.conn.State())
		}
	}
	if c.end == "own" || h.gone {
		return // y has ended it, and may have closed the events
	}
	for {
		e, _, err := c.y.conn.Endpoint().ConnEvents().WaitTimeout(patience, 1)
		if err != nil {
			h.fail("connection %d, the event of the end: %v", c.i, err)
			return
		}
		if e.Kind != rdma.Established {
			return
		}
	}
}

// close closes what the row has opened.
func (h *faceRun) close() {
	within := func(what string, f func() error) {
		done := make(chan error, 1)
		go func() { done <- f() }()
		select {
		case err := <-done:
			if err != nil {
				h.fail("%s: %v", what, err)
			}
		case <-time.After(patience):
			h.t.Fatalf("%s does not return", what)
		}
	}
	within("Close of x", h.xAdapter.Close)
	within("Close of y", h.yAdapter.Close)
	if h.sink != nil {
		within("Close of the sink", h.sink.Close)
	}
}
