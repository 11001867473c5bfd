package dat_test

import "github.com/godapl/godapl/compat/dat"

func (c *caller) zones() {
	var h dat.PZHandle
	switch c.n(4) {
	case 0:
		c.check("dat_pz_create", dat.PZCreate(c.ia, nil))
	case 1:
		if c.check("dat_pz_create", dat.PZCreate(c.ia, &h)) == dat.Success {
			c.add(object{kind: dat.HandleTypePZ, handle: dat.Handle(h), ia: c.ia})
		}
	case 2:
		var p dat.PZParam
		h = dat.PZHandle(c.handle(dat.HandleTypePZ))
		c.check("dat_pz_query", dat.PZQuery(h, dat.PZParamMask(c.n(3)), some(c, &p)))
	default:
		h = dat.PZHandle(c.handle(dat.HandleTypePZ))
		used := c.zoned(h)
		c.so("dat_pz_free", c.freed("dat_pz_free", dat.Handle(h), dat.PZFree(h)), used)
	}
}

// zoned reports whether an object belongs to a zone.
func (c *caller) zoned(h dat.PZHandle) bool {
	for _, kind := range []dat.HandleType{dat.HandleTypeEP, dat.HandleTypeLMR, dat.HandleTypeRMR, dat.HandleTypeSRQ} {
		for _, o := range c.live(kind, nil) {
			var ep dat.EPParam
			var lmr dat.LMRParam
			var rmr dat.RMRParam
			var srq dat.SRQParam
			switch kind {
			case dat.HandleTypeEP:
				dat.EPQuery(dat.EPHandle(o.handle), dat.EPFieldAll, &ep)
			case dat.HandleTypeLMR:
				dat.LMRQuery(dat.LMRHandle(o.handle), dat.LMRFieldAll, &lmr)
			case dat.HandleTypeRMR:
				dat.RMRQuery(dat.RMRHandle(o.handle), dat.RMRFieldAll, &rmr)
			default:
				dat.SRQQuery(dat.SRQHandle(o.handle), dat.SRQFieldAll, &srq)
			}
			if h != dat.HandleNull && (ep.PZHandle == h || lmr.PZHandle == h || rmr.PZHandle == h || srq.PZHandle == h) {
				return true
			}
		}
	}
	return false
}

func (c *caller) regions() {
	switch c.n(4) {
	case 0, 1:
		m := memory{b: make([]byte, 64+c.n(4)*64)}
		priv := []dat.MemPrivFlags{allPriv, allPriv, dat.MemPrivFlags(c.byte())}[c.n(3)]
		d, kind := dat.RegionDescription{ForVA: m.b}, dat.MemTypeVirtual
		pz := dat.PZHandle(c.handle(dat.HandleTypePZ))
		if c.n(4) == 0 {
			d, kind = dat.RegionDescription{ForLMRHandle: dat.LMRHandle(c.handle(dat.HandleTypeLMR))}, dat.MemType(c.n(4))
		}
		length := dat.Vlen(len(m.b) + c.n(33)/32 - c.n(9))
		if c.check("dat_lmr_create", dat.LMRCreate(c.ia, kind, d, length, pz, priv, some(c, &m.lmr), &m.ctx, &m.rmr, nil, nil)) == dat.Success {
			if kind == dat.MemTypeLMR {
				m.b = c.find(dat.Handle(d.ForLMRHandle)).mem.b
			}
			c.add(object{kind: dat.HandleTypeLMR, handle: dat.Handle(m.lmr), ia: c.ia, mem: m})
		}
	case 2:
		var p dat.LMRParam
		h := dat.LMRHandle(c.handle(dat.HandleTypeLMR))
		c.check("dat_lmr_query", dat.LMRQuery(h, dat.LMRParamMask(c.byte()), some(c, &p)))
	default:
		h := dat.LMRHandle(c.handle(dat.HandleTypeLMR))
		c.freed("dat_lmr_free", dat.Handle(h), dat.LMRFree(h))
	}
}

func (c *caller) windows() {
	var h dat.RMRHandle
	switch c.n(8) {
	case 0, 1:
		pz, call := dat.PZHandle(c.handle(dat.HandleTypePZ)), "dat_rmr_create"
		out := some(c, &h)
		var ret dat.Return
		if c.n(2) == 0 {
			ret = dat.RMRCreate(pz, out)
		} else {
			call = "dat_rmr_create_for_ep"
			ret = dat.RMRCreateForEP(pz, out)
		}
		if c.check(call, ret) == dat.Success {
			var p dat.PZParam
			dat.PZQuery(pz, dat.PZFieldAll, &p)
			c.add(object{kind: dat.HandleTypeRMR, handle: dat.Handle(h), ia: p.IAHandle})
		}
	case 2:
		h = dat.RMRHandle(c.handle(dat.HandleTypeRMR))
		c.freed("dat_rmr_free", dat.Handle(h), dat.RMRFree(h))
	case 3:
		var p dat.RMRParam
		h = dat.RMRHandle(c.handle(dat.HandleTypeRMR))
		c.check("dat_rmr_query", dat.RMRQuery(h, dat.RMRParamMask(c.byte()), some(c, &p)))
	default:
		h = dat.RMRHandle(c.handle(dat.HandleTypeRMR))
		ep := dat.EPHandle(c.handle(dat.HandleTypeEP))
		iov, priv, flags := c.iov(1), dat.MemPrivFlags(c.byte())&0x33, c.flags()
		if c.n(4) == 0 {
			iov = []dat.LMRTriplet{{}} // unbinds
		}
		bind := post{op: dat.DTOBindMW, ep: ep, evd: c.eventsOf(ep).RequestEVDHandle, rmr: h, flags: flags}
		if o := c.find(dat.Handle(ep)); o != nil && o.binds != dat.HandleNull {
			bind.evd, bind.by, bind.elsewhere = o.binds, bind.evd, true
		}
		p, cookie := c.expect(bind)
		var ctx dat.RMRContext
		if c.n(3) == 0 {
			lmr, va := c.regionOf(iov[0].LMRContext), dat.VATypeVA
			if c.rarely() {
				va = dat.VAType(c.n(3))
			}
			c.posted(p, c.check("dat_rmr_bind_20", dat.RMRBind20(h, lmr, &iov[0], priv, va, ep, cookie, flags, &ctx)))
		} else {
			c.posted(p, c.check("dat_rmr_bind", dat.RMRBind(h, &iov[0], priv, ep, cookie, flags, &ctx)))
		}
		if o := c.find(dat.Handle(h)); o != nil && ctx != 0 {
			c.mu.Lock()
			o.mem = memory{rmr: ctx}
			if len(iov) == 1 {
				o.number = uint64(iov[0].VirtualAddress)
			}
			c.mu.Unlock()
		}
	}
}

// regionOf is the region with the key, mostly.
func (c *caller) regionOf(key dat.LMRContext) dat.LMRHandle {
	if all := c.live(dat.HandleTypeLMR, func(o *object) bool { return o.mem.ctx == key }); len(all) > 0 && !c.rarely() {
		return dat.LMRHandle(all[0].handle)
	}
	return dat.LMRHandle(c.handle(dat.HandleTypeLMR))
}

// eventsOf is where the events of an endpoint go.
func (c *caller) eventsOf(ep dat.EPHandle) (p dat.EPParam) {
	dat.EPQuery(ep, dat.EPFieldAll, &p)
	return p
}

// flags of a post.
func (c *caller) flags() dat.CompletionFlags {
	if c.rarely() {
		return dat.CompletionFlags(c.byte() & 0x1f)
	}
	return []dat.CompletionFlags{0, 0, 0, 0, dat.CompletionSuppressFlag, dat.CompletionBarrierFenceFlag, dat.CompletionSuppressFlag, dat.CompletionUnsignalledFlag}[c.n(8)]
}

// iov is a list of n segments, mostly of memory that is registered.
func (c *caller) iov(n int) (all []dat.LMRTriplet) {
	for range n {
		m := memory{}
		if o := c.object(dat.HandleTypeLMR); o != nil {
			m = o.mem
		}
		t := dat.LMRTriplet{LMRContext: m.ctx, SegmentLength: dat.Vlen(c.n(33))}
		if len(m.b) > 0 {
			t.VirtualAddress = dat.VaddrOf(m.b) + dat.Vaddr(c.n(64))
		}
		if c.rarely() {
			t.LMRContext, t.SegmentLength = t.LMRContext+dat.LMRContext(c.byte()), t.SegmentLength<<c.n(60)
		}
		all = append(all, t)
	}
	return all
}

// remote is memory of any adapter.
func (c *caller) remote() *dat.RMRTriplet {
	kind := dat.HandleTypeLMR
	if c.n(8) == 0 {
		kind = dat.HandleTypeRMR
	}
	return c.named(kind, nil)
}

// named is memory with the key of an object that also allows; nil: of any.
func (c *caller) named(kind dat.HandleType, also func(*object) bool) *dat.RMRTriplet {
	all := c.live(kind, also)
	if len(all) == 0 || c.rarely() {
		return some(c, &dat.RMRTriplet{RMRContext: dat.RMRContext(c.byte())})
	}
	o := all[c.n(len(all))]
	c.mu.Lock()
	m, addr := o.mem, dat.Vaddr(o.number)
	c.mu.Unlock()
	if len(m.b) > 0 {
		addr = dat.VaddrOf(m.b)
	}
	return &dat.RMRTriplet{RMRContext: m.rmr, TargetAddress: addr, SegmentLength: dat.Vlen(c.n(33))}
}

// segments are the arguments of a post.
func (c *caller) segments() (dat.Count, []dat.LMRTriplet) {
	iov := c.iov([]int{1, 1, 1, 1, 1, 0, 2, 3}[c.n(8)])
	n := dat.Count(len(iov))
	if c.rarely() {
		n += dat.Count(c.n(5)) - 2
	}
	return n, iov
}
