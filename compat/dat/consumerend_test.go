package dat_test

import (
	"slices"

	"github.com/godapl/godapl/compat/dat"
)

// end frees everything, and looks whether every operation has completed.
func (c *consumer) end() {
	x := &caller{consumer: c}
	c.release(x)
	freeAll(x, "dat_psp_free", dat.HandleTypePSP, nil, dat.PSPFree)
	freeAll(x, "dat_rsp_free", dat.HandleTypeRSP, nil, dat.RSPFree)
	freeAll(x, "dat_csp_free", dat.HandleTypeCSP, nil, dat.CSPFree)
	x.pass()
	c.drain()
	for _, o := range c.live(dat.HandleTypeCR, nil) {
		var q dat.CRParam
		dat.CRQuery(dat.CRHandle(o.handle), dat.CRFieldAll, &q)
		if ret := dat.CRReject(dat.CRHandle(o.handle)); ret == dat.Success {
			c.leave(o.handle)
			x.rejected(0, q, ret)
		}
	}
	for _, o := range c.live(dat.HandleTypeEP, nil) {
		dat.EPDisconnect(dat.EPHandle(o.handle), dat.CloseAbruptFlag) // an error: it is not connected
	}
	x.pass()
	c.drain()
	c.settled()
	c.free(x)
}

// release ends the waits.
func (c *consumer) release(x *caller) {
	for _, o := range c.live(dat.HandleTypeEVD, nil) {
		dat.EVDSetUnwaitable(dat.EVDHandle(o.handle))
	}
	for _, o := range c.live(dat.HandleTypeCNO, nil) {
		// The set tells waiters when its last dispatcher goes.
		for _, d := range c.live(dat.HandleTypeEVD, func(d *object) bool { return d.ia == o.ia }) {
			dat.EVDModifyCNO(dat.EVDHandle(d.handle), dat.HandleNull)
		}
		var temporary dat.EVDHandle
		ok(c.t, dat.EVDCreate(o.ia, 1, dat.CNOHandle(o.handle), dat.EVDSoftwareFlag, &temporary))
		ok(c.t, dat.EVDFree(temporary))
	}
	c.waiters.Wait()
}

// drain takes all events that there are.
func (c *consumer) drain() {
	for again := true; again; {
		again = false
		for _, o := range c.live(dat.HandleTypeEVD, nil) {
			var ev dat.Event
			h := dat.EVDHandle(o.handle)
			for dat.EVDDequeue(h, &ev) == dat.Success {
				c.took(h, &ev)
				again = true
			}
		}
		(&caller{consumer: c}).pass()
	}
}

// settled checks that nothing is missing.
func (c *consumer) settled() {
	idle := map[dat.EPHandle]dat.EPParam{}
	for _, o := range c.live(dat.HandleTypeEP, nil) {
		h := dat.EPHandle(o.handle)
		var p dat.EPParam
		var recv, request dat.Boolean
		ok(c.t, dat.EPQuery(h, dat.EPFieldAll, &p))
		ok(c.t, dat.EPGetStatus(h, nil, &recv, &request))
		switch p.EPState {
		case dat.EPStateDisconnected:
			if !recv || !request {
				c.t.Fatalf("endpoint %#x is disconnected, and not idle: %v, %v", h, recv, request)
			}
			idle[h] = p
		case dat.EPStateUnconnected:
		default:
			c.t.Fatalf("endpoint %#x stays in state %d", h, p.EPState)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	roomy := map[dat.EVDHandle]bool{}
	for _, o := range c.objects {
		roomy[dat.EVDHandle(o.handle)] = o.kind == dat.HandleTypeEVD && !o.gone && o.number >= enough
	}
	for _, p := range c.posts {
		if _, over := idle[p.ep]; over && p.evd != dat.HandleNull && roomy[p.evd] && (p.by == dat.HandleNull || roomy[p.by]) && !p.done && !p.refused && p.flags&dat.CompletionSuppressFlag == 0 {
			c.t.Fatalf("it has not completed: %+v", *p)
		}
	}
	for h, p := range idle {
		l := c.links[h]
		if l == nil || !roomy[p.ConnectEVDHandle] || len(l.evds) > 1 {
			continue
		}
		if l.ended != l.attempts || l.up {
			c.t.Fatalf("the connections of endpoint %#x: %+v", h, *l)
		}
	}
	for h, q := range c.messages {
		if len(q) > 0 && roomy[h] {
			c.t.Fatalf("software events are missing: %v", q)
		}
	}
}

// free frees all objects, in an order in which nothing may be in the way.
func (c *consumer) free(x *caller) {
	freeAll(x, "dat_ep_free", dat.HandleTypeEP, nil, dat.EPFree)
	freeAll(x, "dat_rmr_free", dat.HandleTypeRMR, nil, dat.RMRFree)
	freeAll(x, "dat_srq_free", dat.HandleTypeSRQ, nil, dat.SRQFree)
	freeAll(x, "dat_lmr_free", dat.HandleTypeLMR, nil, dat.LMRFree)
	freeAll(x, "dat_pz_free", dat.HandleTypePZ, nil, dat.PZFree)
	c.drain()
	for _, o := range slices.Backward(c.live(dat.HandleTypeIA, nil)) { // a later one may use a dispatcher of an earlier one
		freeAll(x, "dat_evd_free", dat.HandleTypeEVD, func(d *object) bool { return d.ia == o.ia && !d.lent }, dat.EVDFree)
		freeAll(x, "dat_cno_free", dat.HandleTypeCNO, func(n *object) bool { return n.ia == o.ia }, dat.CNOFree)
		x.all("dat_ia_close", o, dat.IAClose(o.ia, dat.CloseGracefulFlag))
	}
	for _, o := range c.objects {
		var kind dat.HandleType
		if ret := dat.GetHandleType(o.handle, &kind); ret.Type() != dat.InvalidHandle {
			c.t.Fatalf("%+v is still there", *o)
		}
	}
}

// freeAll frees the objects of a kind that also allows; nil: all of them.
func freeAll[H ~uint64](x *caller, call string, kind dat.HandleType, also func(*object) bool, free func(H) dat.Return) {
	for _, o := range x.live(kind, also) {
		x.all(call, o, free(H(o.handle)))
	}
}

// all is for a call that has to succeed now.
func (c *caller) all(call string, o *object, ret dat.Return) {
	if ret != dat.Success {
		c.t.Fatalf("in the end: %s of %#x: %v", call, o.handle, ret)
	}
	c.leave(o.handle)
}
