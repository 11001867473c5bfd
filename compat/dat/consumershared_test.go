package dat_test

import "github.com/godapl/godapl/compat/dat"

// sharedReceives makes a call of shared receive queues.
func (c *caller) sharedReceives() {
	var h dat.SRQHandle
	switch c.n(8) {
	case 0:
		pz := dat.PZHandle(c.handle(dat.HandleTypePZ))
		at := dat.SRQAttr{MaxRecvDTOS: dat.Count(c.n(9)), MaxRecvIOV: dat.Count(1 + c.n(2)), LowWatermark: dat.Count(c.n(9) / 8)}
		if c.check("dat_srq_create", dat.SRQCreate(c.ia, pz, some(c, &at), some(c, &h))) == dat.Success {
			c.add(object{kind: dat.HandleTypeSRQ, handle: dat.Handle(h), ia: c.ia})
		}
	case 1:
		h = dat.SRQHandle(c.handle(dat.HandleTypeSRQ))
		used := false
		for _, e := range c.live(dat.HandleTypeEP, nil) {
			used = used || h != dat.HandleNull && c.eventsOf(dat.EPHandle(e.handle)).SRQHandle == h
		}
		c.so("dat_srq_free", c.freed("dat_srq_free", dat.Handle(h), dat.SRQFree(h)), used)
	case 2:
		h = dat.SRQHandle(c.handle(dat.HandleTypeSRQ))
		c.check("dat_srq_resize", dat.SRQResize(h, dat.Count(c.n(20)-1)))
	case 3:
		h = dat.SRQHandle(c.handle(dat.HandleTypeSRQ))
		c.check("dat_srq_set_lw", dat.SRQSetLW(h, dat.Count(c.n(9)-1)))
	case 4:
		var p dat.SRQParam
		h = dat.SRQHandle(c.handle(dat.HandleTypeSRQ))
		if c.check("dat_srq_query", dat.SRQQuery(h, dat.SRQFieldAll, &p)) == dat.Success && (p.AvailableDTOCount < 0 || p.OutstandingDTOCount < p.AvailableDTOCount ||
			p.OutstandingDTOCount > p.MaxRecvDTOS) && !c.together {
			c.t.Fatalf("the counts of a queue: %+v", p)
		}
	default:
		h = dat.SRQHandle(c.handle(dat.HandleTypeSRQ))
		for range 1 + c.n(4) {
			n, iov := c.segments()
			p, cookie := c.expect(post{op: dat.DTOReceive, srq: h})
			c.posted(p, c.check("dat_srq_post_recv", dat.SRQPostRecv(h, n, iov, cookie)))
		}
	}
}
