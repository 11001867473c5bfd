package dat_test

import (
	"slices"

	"github.com/godapl/godapl/compat/dat"
)

// run makes the calls.
func (c *caller) run() {
	calls := []func(){
		c.adapters, c.dispatchers, c.dispatchers, c.waits, c.waits, c.dequeues, c.dequeues, c.ahead, c.notifications, c.zones, c.regions,
		c.windows, c.windows, c.endpoints, c.endpoints, c.modify, c.queries, c.connects, c.connects, c.ends, c.posts, c.posts,
		c.posts, c.posts, c.posts, c.sharedReceives, c.sharedReceives, c.services,
		c.services, c.requests, c.requests, c.background, c.contexts, c.link, c.link, c.link, c.pass,
	}
	for len(c.b) > 0 && !c.t.Failed() {
		ias := c.live(dat.HandleTypeIA, nil)
		if len(ias) == 0 {
			return
		}
		c.ia, c.dead, c.first = ias[c.n(len(ias))].ia, false, true
		calls[c.n(len(calls))]()
	}
}

// pass makes time pass, and so the adapters do all that they can.
func (c *caller) pass() {
	var ev dat.Event
	var more dat.Count
	dat.EVDWait(c.clock, dat.Timeout(1+c.n(3)*5000), 1, &ev, &more)
}

func (c *caller) adapters() {
	var h dat.IAHandle
	async := []dat.EVDHandle{0, dat.EVDAsyncExists, dat.EVDHandle(c.maybe(dat.HandleTypeEVD))}[c.n(3)]
	given := async
	switch b := c.n(8); {
	case b < 3 && len(c.live(dat.HandleTypeIA, nil)) < 4:
		c.dead = false
		name := []string{consumed, consumed, consumed, "nothing", ""}[c.n(5)]
		if c.check("dat_ia_open", dat.IAOpen(name, dat.Count(c.n(6)), &async, some(c, &h))) == dat.Success {
			c.add(object{kind: dat.HandleTypeIA, handle: dat.Handle(h), ia: h})
			if given == dat.HandleNull {
				c.add(object{kind: dat.HandleTypeEVD, handle: dat.Handle(async), ia: h, lent: true})
			}
		}
	case b == 7 && c.byte() < 32:
		c.first, c.dead = true, false
		h = dat.IAHandle(c.handle(dat.HandleTypeIA))
		c.freed("dat_ia_close", dat.Handle(h), dat.IAClose(h, dat.CloseAbruptFlag))
	default:
		c.first, c.dead = true, false
		h = dat.IAHandle(c.handle(dat.HandleTypeIA))
		full := c.holds(h)
		ret := c.freed("dat_ia_close", dat.Handle(h), dat.IAClose(h, dat.CloseFlags(1+c.n(2))))
		c.so("dat_ia_close", ret, full)
	}
}

// holds reports whether an adapter has objects that the program has to free.
func (c *caller) holds(h dat.IAHandle) bool {
	for _, kind := range []dat.HandleType{dat.HandleTypeEP, dat.HandleTypeEVD, dat.HandleTypeLMR, dat.HandleTypePSP, dat.HandleTypeCSP, dat.HandleTypePZ,
		dat.HandleTypeRMR, dat.HandleTypeCNO, dat.HandleTypeSRQ} {
		if len(c.live(kind, func(o *object) bool { return o.ia == h && !o.lent })) > 0 {
			return true
		}
	}
	return false
}

// so fails the test if an object was freed that is in use.
func (c *caller) so(call string, ret dat.Return, used bool) {
	if used && ret == dat.Success && !c.together {
		c.t.Fatalf("%s freed what is in use", call)
	}
}

// freed is check for a call that frees the object.
func (c *caller) freed(call string, h dat.Handle, ret dat.Return) dat.Return {
	if c.check(call, ret) == dat.Success {
		c.leave(h)
	}
	return ret
}

func (c *caller) dispatchers() {
	h := dat.EVDHandle(0)
	switch c.n(12) {
	case 0, 1:
		ia := dat.IAHandle(c.handle(dat.HandleTypeIA))
		if !c.dead {
			ia = c.ia
		}
		flags := []dat.EVDFlags{dat.EVDDefaultFlag | dat.EVDSoftwareFlag, dat.EVDSoftwareFlag, dat.EVDDTOFlag | dat.EVDRMRBindFlag, dat.EVDAsyncFlag,
			dat.EVDConnectionFlag, dat.EVDCRFlag, dat.EVDFlags(c.byte()) << 3}[c.n(7)]
		qlen := []dat.Count{enough, enough, 1, 2, 0}[c.n(5)]
		ret := c.check("dat_evd_create", dat.EVDCreate(ia, qlen, dat.CNOHandle(c.maybe(dat.HandleTypeCNO)), flags, some(c, &h)))
		if ret == dat.Success {
			c.add(object{kind: dat.HandleTypeEVD, handle: dat.Handle(h), ia: ia, flags: flags, number: uint64(qlen)})
		}
		return
	case 2, 3:
		h = dat.EVDHandle(c.handle(dat.HandleTypeEVD))
		used := c.feeds(h)
		c.so("dat_evd_free", c.freed("dat_evd_free", dat.Handle(h), dat.EVDFree(h)), used)
	case 4:
		h = dat.EVDHandle(c.handle(dat.HandleTypeEVD))
		n := []dat.Count{enough, 1, 2, 40, 0, -1}[c.n(6)]
		if c.check("dat_evd_resize", dat.EVDResize(h, n)) == dat.Success {
			if o := c.find(dat.Handle(h)); o != nil {
				c.mu.Lock()
				o.number = min(o.number, uint64(n))
				c.mu.Unlock()
			}
		}
	case 5, 6:
		ev := dat.Event{EventNumber: dat.SoftwareEvent - dat.EventNumber(c.n(9)/8)}
		h = c.evd(dat.EVDSoftwareFlag)
		c.mu.Lock()
		c.last++
		n := c.last
		c.messages[h] = append(c.messages[h], n)
		c.mu.Unlock()
		ev.EventData.SoftwareEventData.Pointer = n
		if c.check("dat_evd_post_se", dat.EVDPostSE(h, some(c, &ev))) != dat.Success {
			c.mu.Lock()
			for i, x := range c.messages[h] {
				if x == n {
					c.messages[h] = append(c.messages[h][:i:i], c.messages[h][i+1:]...)
					break
				}
			}
			c.mu.Unlock()
		}
	case 7, 8:
		h = dat.EVDHandle(c.handle(dat.HandleTypeEVD))
		c.check("dat_evd_modify_cno", dat.EVDModifyCNO(h, dat.CNOHandle(c.maybe(dat.HandleTypeCNO))))
	case 9:
		h = dat.EVDHandle(c.handle(dat.HandleTypeEVD))
		c.check("dat_evd_disable", dat.EVDDisable(h))
		c.check("dat_evd_enable", dat.EVDEnable(h))
	case 10:
		h = dat.EVDHandle(c.handle(dat.HandleTypeEVD))
		c.check("dat_evd_set_unwaitable", dat.EVDSetUnwaitable(h))
		if c.n(4) > 0 {
			c.check("dat_evd_clear_unwaitable", dat.EVDClearUnwaitable(h))
		}
	default:
		var p dat.EVDParam
		h = dat.EVDHandle(c.handle(dat.HandleTypeEVD))
		c.check("dat_evd_query", dat.EVDQuery(h, dat.EVDParamMask(c.n(0x21)), some(c, &p)))
	}
}

// feeds reports whether something feeds a dispatcher.
func (c *caller) feeds(h dat.EVDHandle) bool {
	o := c.find(dat.Handle(h))
	if o == nil || o.gone || o.lent {
		return o != nil && o.lent
	}
	for _, e := range c.live(dat.HandleTypeEP, nil) {
		var p dat.EPParam
		if dat.EPQuery(dat.EPHandle(e.handle), dat.EPFieldAll, &p) == dat.Success && (e.binds == h && h != dat.HandleNull || p.RecvEVDHandle == h || p.RequestEVDHandle == h || p.ConnectEVDHandle == h) {
			return true
		}
	}
	for _, s := range c.live(dat.HandleTypePSP, nil) {
		var p dat.PSPParam
		if dat.PSPQuery(dat.PSPHandle(s.handle), dat.PSPFieldAll, &p) == dat.Success && p.EVDHandle == h {
			return true
		}
	}
	return false
}

func (c *caller) waits() {
	var ev dat.Event
	var nmore dat.Count
	h := dat.EVDHandle(c.handle(dat.HandleTypeEVD))
	threshold := dat.Count(c.n(9)) / 2
	timeout := []dat.Timeout{0, 1, 1000}[c.n(3)]
	switch ret := c.check("dat_evd_wait", dat.EVDWait(h, timeout, threshold, some(c, &ev), some(c, &nmore))); ret.Type() {
	case dat.Success:
		if nmore < threshold-1 && !c.together {
			c.t.Fatalf("%d more events, with the threshold %d", nmore, threshold)
		}
		c.took(h, &ev)
	case dat.TimeoutExpired:
		if nmore >= threshold && !c.together {
			c.t.Fatalf("timeout with %d events, with the threshold %d", nmore, threshold)
		}
	}
}

func (c *caller) dequeues() {
	h := dat.EVDHandle(c.handle(dat.HandleTypeEVD))
	for range 1 + c.n(8) {
		var ev dat.Event
		if c.check("dat_evd_dequeue", dat.EVDDequeue(h, some(c, &ev))) != dat.Success {
			return
		}
		c.took(h, &ev)
	}
}

// ahead takes completions ahead, and gives them out, or some of them where nobody else is at work.
func (c *caller) ahead() {
	h := c.evd(dat.EVDDTOFlag)
	a := c.aheads[h]
	if a == nil {
		if a = dat.EVDAhead(h, c.n(9)); a == nil {
			return
		}
		if c.aheads == nil {
			c.aheads = map[dat.EVDHandle]*dat.Ahead{}
		}
		c.aheads[h] = a
	}
	var p dat.EVDParam
	if dat.EVDQuery(h, dat.EVDFieldAll, &p) == dat.Success && p.CNOHandle != dat.HandleNull {
		return
	}
	a.Refit()
	ready := a.Ready()
	n, more, ret := a.Take()
	if c.check("dat_evd_dequeue", ret) != dat.Success {
		if n != 0 || ready && !c.together && !c.bindsElsewhere() && ret.Type() == dat.QueueEmpty {
			c.t.Fatalf("%d completions, ready: %v, and %v", n, ready, ret)
		}
		return
	}
	if n < 1 || n > int(p.EVDQlen) && !c.together || more < 0 {
		c.t.Fatalf("%d completions, and %d more, of a dispatcher with room for %d", n, more, p.EVDQlen)
	}
	give := n
	if !c.together {
		give = c.n(n + 1)
	}
	for i := range give {
		var ev dat.Event
		a.Event(i, &ev)
		c.took(h, &ev)
	}
	a.PutBack(give)
}

// bindsElsewhere reports that binds of some endpoint come by way of its request dispatcher.
func (c *caller) bindsElsewhere() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.objects, func(o *object) bool { return o.binds != dat.HandleNull })
}

// agent is a notification agent, or none. Where another caller is at work, it takes events.
func (c *caller) agent() (a dat.OsWaitProxyAgent) {
	if c.n(2) == 0 {
		return a
	}
	if c.rarely() {
		a.InstanceData = c
		return a
	}
	takes := c.together
	a.ProxyAgentFunc = func(_ any, h dat.EVDHandle) {
		var ev dat.Event
		for takes && h != dat.HandleNull && dat.EVDDequeue(h, &ev) == dat.Success {
			c.took(h, &ev)
		}
	}
	return a
}

func (c *caller) notifications() {
	var h dat.CNOHandle
	switch c.n(8) {
	case 0:
		var fd dat.FD
		switch ret := c.check("dat_cno_fd_create", dat.CNOFDCreate(c.ia, some(c, &fd), some(c, &h))); {
		case ret == dat.Success:
			c.add(object{kind: dat.HandleTypeCNO, handle: dat.Handle(h), ia: c.ia})
		case h != dat.HandleNull:
			c.t.Fatalf("a notification object %#x in spite of %v", h, ret)
		}
	case 1, 2:
		if c.check("dat_cno_create", dat.CNOCreate(c.ia, c.agent(), some(c, &h))) == dat.Success {
			c.add(object{kind: dat.HandleTypeCNO, handle: dat.Handle(h), ia: c.ia})
		}
	case 3:
		h = dat.CNOHandle(c.handle(dat.HandleTypeCNO))
		used := false
		for _, e := range c.live(dat.HandleTypeEVD, nil) {
			var p dat.EVDParam
			used = used || dat.EVDQuery(dat.EVDHandle(e.handle), dat.EVDFieldAll, &p) == dat.Success && p.CNOHandle == h
		}
		c.so("dat_cno_free", c.freed("dat_cno_free", dat.Handle(h), dat.CNOFree(h)), used)
	case 4:
		h = dat.CNOHandle(c.handle(dat.HandleTypeCNO))
		c.check("dat_cno_modify_agent", dat.CNOModifyAgent(h, c.agent()))
	case 5:
		var p dat.CNOParam
		h = dat.CNOHandle(c.handle(dat.HandleTypeCNO))
		c.check("dat_cno_query", dat.CNOQuery(h, dat.CNOParamMask(c.n(9)), some(c, &p)))
	default:
		var hint dat.EVDHandle
		h = dat.CNOHandle(c.handle(dat.HandleTypeCNO))
		if c.n(2) == 0 {
			c.check("dat_cno_trigger", dat.CNOTrigger(h, some(c, &hint)))
		} else {
			c.check("dat_cno_wait", dat.CNOWait(h, dat.Timeout(c.n(3)*100), some(c, &hint)))
		}
	}
}

// background starts a wait that lasts until something ends it.
func (c *caller) background() {
	if !c.together {
		return
	}
	h, n := dat.EVDHandle(c.handle(dat.HandleTypeEVD)), dat.CNOHandle(c.handle(dat.HandleTypeCNO))
	threshold, dead := dat.Count(1+c.n(2)), c.dead
	c.dead = false
	if c.n(2) == 0 {
		c.waiters.Go(func() {
			var hint dat.EVDHandle
			(&caller{consumer: c.consumer}).check("dat_cno_wait", dat.CNOWait(n, dat.TimeoutInfinite, &hint))
		})
		return
	}
	c.waiters.Go(func() {
		var ev dat.Event
		var nmore dat.Count
		if (&caller{consumer: c.consumer, dead: dead}).check("dat_evd_wait", dat.EVDWait(h, dat.TimeoutInfinite, threshold, &ev, &nmore)) == dat.Success {
			c.took(h, &ev)
		}
	})
}
