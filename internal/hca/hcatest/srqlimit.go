package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var srqLimitCases = []Case{
	{"shared receives", "the limit is called once per arming, when fewer are left", withLimit(srqLimit)},
	{"shared receives", "the limit is called at once if fewer are there already", withLimit(srqLimitAtOnce)},
	{"shared receives", "a limit of 0 is off, a negative one invalid", withLimit(srqLimitOff)},
}

func withLimit(f func(s *shared)) func(t *env) {
	return withSRQ(func(s *shared) {
		if !s.b.can(hca.CapSRQLimit) {
			s.Logf("no limits; their refusal is checked under attributes")
			return
		}
		f(s)
	})
}

// use makes a message take one receive.
func (s *shared) use(c *conn) {
	s.Helper()
	c.a.do(send(c.a.mail.seg(0, 8)))
	if wc := s.rq.next("message"); wc.Status != hca.StatusOK {
		s.Fatalf("message: %v", wc.Status)
	}
}

// quiet checks that the limit was not called.
func (s *shared) quiet(what string) {
	s.Helper()
	select {
	case <-s.limits:
		s.Errorf("%s: the limit was called", what)
	default:
	}
}

func srqLimit(s *shared) {
	c := s.join()
	for range 10 {
		s.post(c.b.mail.seg(0, 8))
	}
	for range 3 {
		s.must("Arm", s.srq.Arm(5))
		for range 5 { // 5 are left: not fewer than the limit
			s.use(c)
		}
		s.quiet("as many as the limit are left")
		s.use(c)
		await(s.env, "limit", s.limits)
		s.use(c)
		s.quiet("called once already")
		for range 7 {
			s.post(c.b.mail.seg(0, 8))
		}
		for range 7 {
			s.use(c)
		}
		s.quiet("not armed again")
		for range 7 {
			s.post(c.b.mail.seg(0, 8))
		}
	}
}

func srqLimitAtOnce(s *shared) {
	c := s.join()
	s.must("Arm of an empty queue", s.srq.Arm(1))
	await(s.env, "limit", s.limits)
	for range 4 {
		s.post(c.b.mail.seg(0, 8))
	}
	s.must("Arm", s.srq.Arm(4))
	s.use(c)
	await(s.env, "limit", s.limits)
	s.must("Arm", s.srq.Arm(4)) // three are left
	await(s.env, "limit", s.limits)
	s.quiet("once per arming")
	// A receive that has been used counts, though its completion was not polled.
	s.post(c.b.mail.seg(0, 8))
	c.a.do(send(c.a.mail.seg(0, 8)))
	s.must("Arm", s.srq.Arm(4)) // four were there
	await(s.env, "limit", s.limits)
	s.rq.next("message")
}

func srqLimitOff(s *shared) {
	c := s.join()
	for range 4 {
		s.post(c.b.mail.seg(0, 8))
	}
	s.must("Arm", s.srq.Arm(3))
	s.must("Arm 0", s.srq.Arm(0))
	for range 4 {
		s.use(c)
	}
	s.quiet("switched off")
	s.code("Arm -1", s.srq.Arm(-1), hca.Invalid)
	s.code("Arm over the depth", s.srq.Arm(s.srq.Depth()+1), hca.Invalid)
}
