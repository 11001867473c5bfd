package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

func srqDepth(s *shared) {
	c := s.join()
	n := s.srq.Depth()
	if n < 32 {
		s.Errorf("depth %d, want at least 32", n)
	}
	for range n {
		s.post(c.b.mail.seg(0, 8))
	}
	s.code("PostRecv to a full queue", s.srq.PostRecv(hca.RecvWR{ID: 1}), hca.QueueFull)
	for range 5 {
		c.a.do(send(c.a.mail.seg(0, 8)))
	}
	for range 5 {
		if wc := s.rq.next("message"); wc.Status != hca.StatusOK {
			s.Errorf("message: %v", wc.Status)
		}
	}
	for range 5 {
		s.post(c.b.mail.seg(0, 8))
	}
	s.code("PostRecv to a full queue", s.srq.PostRecv(hca.RecvWR{ID: 1}), hca.QueueFull)
}

func srqCounts(s *shared) {
	c := s.join()
	counts := func(available, outstanding int) {
		s.Helper()
		if a, o := s.srq.Counts(); a != available || o != outstanding {
			s.Errorf("%d available and %d outstanding, want %d and %d", a, o, available, outstanding)
		}
	}
	counts(0, 0)
	for range 6 {
		s.post(c.b.mail.seg(0, 8))
	}
	counts(6, 6)
	c.a.do(send())
	c.a.do(send())
	c.settle(c.a)
	counts(4, 6) // used, but not polled
	c.b.got(want{id: 1<<32 + 1, op: hca.OpRecv})
	counts(4, 5)
	c.b.got(want{id: 1<<32 + 2, op: hca.OpRecv})
	counts(4, 4)
}

func srqResize(s *shared) {
	c := s.join()
	for range 10 {
		s.post(c.b.mail.seg(0, 8))
	}
	if err := s.srq.Resize(64); err != nil {
		s.Logf("cannot be resized: %v", err)
		s.code("Resize", err, hca.Unsupported)
		return
	}
	if s.srq.Depth() < 64 {
		s.Errorf("depth %d after Resize to 64", s.srq.Depth())
	}
	s.code("Resize below what is outstanding", s.srq.Resize(9), hca.State)
	s.code("Resize to 0", s.srq.Resize(0), hca.Invalid)
	s.must("Resize to what is outstanding", s.srq.Resize(10))
	if d := s.srq.Depth(); d == 10 {
		s.code("PostRecv to a full queue", s.srq.PostRecv(hca.RecvWR{ID: 1}), hca.QueueFull)
	}
	for i := range 10 {
		c.a.do(send(c.a.mail.seg(0, 8)))
		c.b.got(want{id: 1<<32 + 1 + uint64(i), op: hca.OpRecv, len: 8})
	}
}

func srqSegments(s *shared) {
	c := s.join()
	if n := limit(2, s.b.attr.MaxSGE); n == 2 {
		box := s.b.region(64, hca.LocalWrite)
		segs := []hca.Segment{box.seg(0, 8), box.seg(32, 8), box.seg(48, 8)}
		s.code("three segments of two", s.srq.PostRecv(hca.RecvWR{Local: segs[0], More: segs[1:]}), hca.Invalid)
		id := s.post(segs[0], segs[1])
		fill(c.a.mail.b, 1)
		c.a.do(send(c.a.mail.seg(0, 16)))
		c.b.got(want{id: id, op: hca.OpRecv, len: 16})
		if string(box.b[:8]) != string(c.a.mail.b[:8]) || string(box.b[32:40]) != string(c.a.mail.b[8:16]) {
			s.Errorf("the message was scattered wrongly: %x", box.b)
		}
		box.guards("scattered")
	}
	foreign := s.b.regionIn(s.b.domain(), 64, s.b.all())
	id := s.post(foreign.seg(0, 8))
	c.a.post(send(c.a.mail.seg(0, 8)))
	c.b.got(want{id: id, op: hca.OpRecv, status: hca.StatusLocalProtection})
	c.b.ev.broken("another domain's memory")
	c.a.ev.end("another domain's memory")
	foreign.still("another domain's memory", 0, 64, 0)
}

func srqVanish(s *shared) {
	c := s.join()
	used := s.post(c.b.mail.seg(0, 8))
	for range 5 {
		s.post(c.b.mail.seg(0, 8))
	}
	c.a.do(send(c.a.mail.seg(0, 8)))
	c.b.got(want{id: used, op: hca.OpRecv, len: 8})
	c.close()
	s.rq.empty("receives that no queue pair took")
	if a, o := s.srq.Counts(); a != 5 || o != 5 {
		s.Errorf("%d available and %d outstanding, want 5 and 5", a, o)
	}
	// The next connection gets them.
	c = s.join()
	c.a.do(send(c.a.mail.seg(0, 8)))
	c.b.got(want{id: used + 1, op: hca.OpRecv, len: 8})
	c.close()
	s.must("SRQ.Close", s.srq.Close())
	s.rq.empty("SRQ.Close")
}
