package rdma_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// startConsumers starts what reads at y. The function that it returns ends the set that the queues are in.
func (h *faceRun) startConsumers() (stop func()) {
	stop = func() {}
	r := rand.New(rand.NewPCG(h.seed, 4))
	switch {
	case h.face == "recv":
		for _, c := range h.c {
			h.start(func() { h.receive(c) })
		}
	case h.change == "set":
		h.start(func() { h.alternate(r) })
	case h.readsSet():
		h.start(func() { h.consumeSet(h.face, r, math.MaxInt) })
	default:
		if h.inset {
			set := event.NewSet()
			stop = func() { set.Close() }
			for _, q := range h.queues {
				h.add(set, q.d)
			}
		}
		for _, q := range h.queues {
			seed := r.Uint64()
			h.start(func() { h.consumeQueue(q, rand.New(rand.NewPCG(seed, 5))) })
		}
	}
	return stop
}

// consumeQueue reads a queue by the face of the row, or by one after another.
func (h *faceRun) consumeQueue(q *faceQueue, r *rand.Rand) {
	if h.change == "" {
		q.quota = math.MaxInt
		h.consume(q, h.face, r)
		return
	}
	for face := h.face; ; face = pick(r, queueFaces) {
		q.quota = 1 + r.IntN(30)
		if !h.consume(q, face, r) || h.isOver(q) {
			return
		}
	}
}

// alternate reads by faces of a set, and between them by those of the queue if there is one only.
func (h *faceRun) alternate(r *rand.Rand) {
	for !h.isOver(h.queues...) && h.ctx.Err() == nil && !(h.isGone() && h.shape != "sink") {
		h.consumeSet(pick(r, setFaces), r, 1+r.IntN(30))
		q := pick(r, h.queues)
		face := pick(r, queueFaces)
		if len(h.queues) > 1 { // the others must not wait
			continue
		}
		q.quota = 1 + r.IntN(30)
		h.consume(q, face, r)
	}
}

// faceSet returns a set with all queues of y.
func (h *faceRun) faceSet() (*event.Set, map[event.Member]*faceQueue, bool) {
	s := event.NewSet()
	of := map[event.Member]*faceQueue{}
	for _, q := range h.queues {
		of[q.d] = q
		q.quota = math.MaxInt
		if !h.add(s, q.d) {
			return s, of, false
		}
	}
	if h.inset && h.end == "adapter" {
		for _, c := range h.c {
			h.add(s, c.y.conn.Endpoint().ConnEvents())
		}
	}
	return s, of, true
}

// add adds a member to a set. Only the end of the adapter may come first.
func (h *faceRun) add(s *event.Set, m event.Member) bool {
	err := s.Add(m)
	if err != nil && !h.isGone() {
		h.fail("Add: %v", err)
	}
	return err == nil
}

// consumeSet runs a face of sets over all queues, until so many completions have come or all is over.
func (h *faceRun) consumeSet(face string, r *rand.Rand, quota int) {
	s, of, ok := h.faceSet()
	defer s.Close()
	if !ok {
		return
	}
	var buf [16]rdma.Completion
	for !h.isOver(h.queues...) && quota > 0 && h.ctx.Err() == nil {
		if r.IntN(40) == 0 {
			h.pause(r, 1500)
		}
		m, err := h.nextMember(s, face, r)
		if errors.Is(err, rdma.ErrTimeout) && face == "settimeout" {
			continue
		}
		if err != nil {
			if h.ctx.Err() == nil && !h.isOver(h.queues...) && !h.isGone() {
				h.fail("%s: %v", face, err)
			}
			return
		}
		q := of[m]
		if q == nil {
			var list [2]rdma.ConnEvent
			m.(*event.Dispatcher[rdma.ConnEvent]).Poll(list[:])
			continue
		}
		if n := q.d.Poll(buf[:1+r.IntN(16)]); n > 0 {
			h.take(q, buf[:n])
			quota -= n
		}
	}
}

func (h *faceRun) nextMember(s *event.Set, face string, r *rand.Rand) (event.Member, error) {
	switch face {
	case "setwait":
		return s.Wait(h.ctx)
	case "settimeout":
		return s.WaitTimeout(time.Duration(r.IntN(800)) * time.Microsecond)
	}
	var m event.Member
	select {
	case next, ok := <-s.C():
		if !ok {
			return nil, rdma.ErrClosed
		}
		m = next
	case <-h.ctx.Done():
		return nil, h.ctx.Err()
	}
	if r.IntN(10) == 0 {
		s.StopChan()
	}
	return m, nil
}

// receive reads a connection with Receive.
func (h *faceRun) receive(c *faceConn) {
	for {
		e, err := c.y.conn.Receive(h.ctx, c.y.mem.Slice(0, h.size))
		h.mu.Lock()
		if err != nil {
			c.dead = true
			if h.ctx.Err() == nil && !h.excused(err) {
				h.fail("Receive: %v", err)
			}
			h.mu.Unlock()
			return
		}
		h.progress.Add(1)
		h.message(c, &e, c.yBytes)
		h.mu.Unlock()
	}
}
