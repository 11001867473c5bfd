package dat_test

import (
	"net"

	"github.com/godapl/godapl/compat/dat"
)

// attr is attributes of an endpoint.
func (c *caller) attr() *dat.EPAttr {
	if c.n(2) == 0 {
		return nil
	}
	at := dat.EPAttr{MaxMessageSize: 4096, MaxRDMASize: 4096, MaxRecvDTOS: dat.Count(c.n(9)), MaxRequestDTOS: dat.Count(c.n(9)), MaxRecvIOV: 2, MaxRequestIOV: 2,
		MaxRDMAReadIn: dat.Count(c.n(4)), MaxRDMAReadOut: dat.Count(c.n(4)), SRQSoftHW: dat.HWDefault, MaxRDMAReadIOV: 2, MaxRDMAWriteIOV: 2}
	completion := []dat.CompletionFlags{dat.CompletionEVDThresholdFlag, dat.CompletionEVDThresholdFlag, dat.CompletionUnsignalledFlag, 0, dat.CompletionSolicitedWaitFlag}
	at.RecvCompletionFlags, at.RequestCompletionFlags = completion[c.n(5)], completion[c.n(4)]
	if c.rarely() {
		at.SRQSoftHW, at.MaxRDMASize, at.QOS = dat.Count(c.n(4)), dat.Vlen(c.byte())<<c.n(60), dat.QOS(c.n(3))
	}
	return &at
}

func (c *caller) endpoints() {
	var h dat.EPHandle
	switch c.n(6) {
	case 0, 1:
		pz := dat.PZHandle(c.maybe(dat.HandleTypePZ))
		recv, req, conn := c.evd(dat.EVDDTOFlag), c.evd(dat.EVDDTOFlag), c.evd(dat.EVDConnectionFlag)
		at := c.attr()
		c.dead = false // pz is checked behind the adapter
		if c.n(3) == 0 {
			c.endpoint10(pz, recv, req, conn, at)
		} else if c.check("dat_ep_create", dat.EPCreate(c.ia, pz, recv, req, conn, at, some(c, &h))) == dat.Success {
			c.add(object{kind: dat.HandleTypeEP, handle: dat.Handle(h), ia: c.ia})
		}
	case 2, 3:
		pz, srq := dat.PZHandle(c.handle(dat.HandleTypePZ)), dat.SRQHandle(c.handle(dat.HandleTypeSRQ))
		var p dat.SRQParam
		if c.n(4) > 0 && dat.SRQQuery(srq, dat.SRQFieldAll, &p) == dat.Success {
			pz, c.dead = p.PZHandle, false // the only one that is allowed
		}
		c.dead = c.dead && pz != dat.HandleNull
		recv, req, conn := c.evd(dat.EVDDTOFlag), c.evd(dat.EVDDTOFlag), c.evd(dat.EVDConnectionFlag)
		at := c.attr()
		if at == nil {
			at = some(c, &dat.EPAttr{MaxMessageSize: 4096, MaxRDMASize: 4096, MaxRecvDTOS: 8, MaxRequestDTOS: 8, MaxRequestIOV: 2, SRQSoftHW: dat.Count(c.n(4) - 1),
				RecvCompletionFlags: dat.CompletionEVDThresholdFlag, RequestCompletionFlags: dat.CompletionEVDThresholdFlag, MaxRDMAReadIOV: 1, MaxRDMAWriteIOV: 1})
		}
		if c.check("dat_ep_create_with_srq", dat.EPCreateWithSRQ(c.ia, pz, recv, req, conn, srq, at, &h)) == dat.Success {
			c.add(object{kind: dat.HandleTypeEP, handle: dat.Handle(h), ia: c.ia})
		}
	default:
		if c.n(3) > 0 {
			return
		}
		h = dat.EPHandle(c.handle(dat.HandleTypeEP))
		c.freed("dat_ep_free", dat.Handle(h), dat.EPFree(h))
	}
}

// endpoint10 makes an endpoint in the form of 1.0.
func (c *caller) endpoint10(pz dat.PZHandle, recv, req, conn dat.EVDHandle, at *dat.EPAttr) {
	var h dat.EPHandle
	binds := c.evd(dat.EVDRMRBindFlag)
	c.dead = false
	if c.check("dat_ep_create_10", dat.EPCreate10(c.ia, pz, recv, req, conn, binds, at, some(c, &h))) != dat.Success {
		return
	}
	if binds == req {
		binds = dat.HandleNull // binds complete as the requests do, also when those move
	}
	c.add(object{kind: dat.HandleTypeEP, handle: dat.Handle(h), ia: c.ia, binds: binds})
}

func (c *caller) modify() {
	h := dat.EPHandle(c.handle(dat.HandleTypeEP))
	var p dat.EPParam
	dat.EPQuery(h, dat.EPFieldAll, &p)
	mask := dat.EPParamMask(1) << c.n(31)
	switch c.n(4) {
	case 0:
		mask |= dat.EPParamMask(1) << c.n(31)
	case 1:
		mask = dat.EPFieldPZHandle | dat.EPFieldConnectEVDHandle
	}
	p.PZHandle = dat.PZHandle(c.maybe(dat.HandleTypePZ))
	if _, receives := c.idle(h); receives { // which keep the dispatcher that they were posted for
		p.RecvEVDHandle = c.evd(dat.EVDDTOFlag)
	}
	p.RequestEVDHandle, p.ConnectEVDHandle = c.evd(dat.EVDDTOFlag), c.evd(dat.EVDConnectionFlag)
	if at := c.attr(); at != nil {
		p.EPAttr = *at
	}
	c.check("dat_ep_modify", dat.EPModify(h, mask, some(c, &p)))
}

func (c *caller) idle(h dat.EPHandle) (requests, receives bool) {
	var r, q dat.Boolean
	dat.EPGetStatus(h, nil, &r, &q)
	return bool(q), bool(r)
}

func (c *caller) queries() {
	h := dat.EPHandle(c.handle(dat.HandleTypeEP))
	switch c.n(4) {
	case 0:
		var p dat.EPParam
		c.check("dat_ep_query", dat.EPQuery(h, dat.EPParamMask(1)<<c.n(33), some(c, &p)))
	case 1:
		var s dat.EPState
		var r dat.Boolean
		c.check("dat_ep_get_status", dat.EPGetStatus(h, some(c, &s), some(c, &r), nil))
	case 2:
		var n, span dat.Count
		if c.check("dat_ep_recv_query", dat.EPRecvQuery(h, &n, &span)) == dat.Success && (n < 0 || span < n) {
			c.t.Fatalf("%d receives held, span %d", n, span)
		}
	default:
		c.check("dat_ep_set_watermark", dat.EPSetWatermark(h, dat.Count(c.n(9)-2), dat.Count(c.n(9)-2)))
	}
}

// private data, with its size.
func (c *caller) private() (dat.Count, []byte) {
	b := make([]byte, c.n(5))
	n := dat.Count(len(b))
	if c.rarely() {
		n += dat.Count(c.n(3)) - 1
	}
	return n, b
}

// listening is the service points that have a qualifier.
func (c *consumer) listening() []*object {
	return append(c.live(dat.HandleTypePSP, nil), c.live(dat.HandleTypeRSP, nil)...)
}

// qualifier is one of a few, or that of a service point.
func (c *caller) qualifier() dat.ConnQual {
	if all := c.listening(); len(all) > 0 && c.n(2) == 0 {
		return dat.ConnQual(all[c.n(len(all))].number)
	}
	return firstQualifier + dat.ConnQual(c.n(5))
}

func (c *caller) connects() {
	h := dat.EPHandle(c.handle(dat.HandleTypeEP))
	c.attempt(h, 1)
	size, private := c.private()
	timeout := []dat.Timeout{1000, second, dat.TimeoutInfinite, dat.Timeout(c.n(2))}[c.n(4)]
	var ret dat.Return
	switch c.n(4) {
	case 1:
		ret = c.check("dat_ep_common_connect", dat.EPCommonConnect(h, c.common(), timeout, size, private))
	case 0:
		ret = c.check("dat_ep_dup_connect", dat.EPDupConnect(h, dat.EPHandle(c.handle(dat.HandleTypeEP)), timeout, size, private, dat.QOSBestEffort))
	default:
		ret = c.check("dat_ep_connect", dat.EPConnect(h, host(consumed), c.qualifier(), timeout, size, private, dat.QOSBestEffort, dat.ConnectFlags(c.n(33)/32)))
	}
	if ret != dat.Success {
		c.attempt(h, -1)
	}
}

func (c *caller) ends() {
	h := dat.EPHandle(c.handle(dat.HandleTypeEP))
	switch c.n(3) {
	case 0:
		c.check("dat_ep_disconnect", dat.EPDisconnect(h, dat.CloseFlags(c.n(9)/4)))
	default:
		c.check("dat_ep_reset", dat.EPReset(h))
	}
}

// posts makes a post of any kind.
func (c *caller) posts() { c.post(dat.EPHandle(c.handle(dat.HandleTypeEP))) }

func (c *caller) post(h dat.EPHandle) {
	[]func(dat.EPHandle){c.sends, c.receives, c.transfers, c.sends, c.receives, c.transfers, c.extensions}[c.n(7)](h)
}

// extensions makes the posts that only InfiniBand has.
func (c *caller) extensions(h dat.EPHandle) {
	iov, to, flags, evd := c.iov(1), c.remote(), c.flags(), c.eventsOf(h).RequestEVDHandle
	if c.n(4) > 0 && to != nil {
		iov[0].SegmentLength, to.SegmentLength = 8, 8
		to.TargetAddress &^= 7
	}
	switch c.n(3) {
	case 0:
		p, cookie := c.expect(post{op: dat.IBDTOFetchAdd, ep: h, evd: evd, flags: flags})
		c.posted(p, c.check("dat_ib_post_fetch_and_add", dat.IBPostFetchAndAdd(h, 1, &iov[0], cookie, to, flags)))
	case 1:
		p, cookie := c.expect(post{op: dat.IBDTOCmpSwap, ep: h, evd: evd, flags: flags})
		c.posted(p, c.check("dat_ib_post_cmp_and_swap", dat.IBPostCmpAndSwap(h, 1, 2, &iov[0], cookie, to, flags)))
	default:
		p, cookie := c.expect(post{op: dat.IBDTORDMAWriteImmed, ep: h, evd: evd, flags: flags})
		c.posted(p, c.check("dat_ib_post_rdma_write_immed", dat.IBPostRDMAWriteImmed(h, 1, iov, cookie, to, 7, flags)))
	}
}

func (c *caller) sends(h dat.EPHandle) {
	n, iov := c.segments()
	flags := c.flags()
	p, cookie := c.expect(post{op: dat.DTOSend, ep: h, evd: c.eventsOf(h).RequestEVDHandle, flags: flags})
	if c.n(16) == 0 {
		if r := c.remote(); r != nil {
			c.posted(p, c.check("dat_ep_post_send_with_invalidate", dat.EPPostSendWithInvalidate(h, n, iov, cookie, flags, c.n(2) == 0, r.RMRContext)))
			return
		}
	}
	c.posted(p, c.check("dat_ep_post_send", dat.EPPostSend(h, n, iov, cookie, flags)))
}

func (c *caller) receives(h dat.EPHandle) {
	for range 1 + c.n(4) {
		n, iov := c.segments()
		flags := c.flags()
		if c.n(4) > 0 {
			flags &= dat.CompletionUnsignalledFlag
		}
		p, cookie := c.expect(post{op: dat.DTOReceive, ep: h, evd: c.eventsOf(h).RecvEVDHandle, flags: flags})
		c.posted(p, c.check("dat_ep_post_recv", dat.EPPostRecv(h, n, iov, cookie, flags)))
	}
}

func (c *caller) transfers(h dat.EPHandle) {
	n, iov := c.segments()
	flags, to := c.flags(), c.remote()
	switch c.n(8) {
	case 0:
		into := c.named(dat.HandleTypeRMR, func(o *object) bool { return o.ia == c.ia })
		p, cookie := c.expect(post{op: dat.DTORDMARead, ep: h, evd: c.eventsOf(h).RequestEVDHandle, flags: flags})
		c.posted(p, c.check("dat_ep_post_rdma_read_to_rmr", dat.EPPostRDMAReadToRMR(h, into, cookie, to, flags)))
		return
	case 1, 2, 3:
		p, cookie := c.expect(post{op: dat.DTORDMARead, ep: h, evd: c.eventsOf(h).RequestEVDHandle, flags: flags})
		c.posted(p, c.check("dat_ep_post_rdma_read", dat.EPPostRDMARead(h, n, iov, cookie, to, flags)))
		return
	}
	p, cookie := c.expect(post{op: dat.DTORDMAWrite, ep: h, evd: c.eventsOf(h).RequestEVDHandle, flags: flags})
	c.posted(p, c.check("dat_ep_post_rdma_write", dat.EPPostRDMAWrite(h, n, iov, cookie, to, flags)))
}

// common is the address of a common service point.
func (c *caller) common() dat.IAAddressPtr {
	if c.rarely() {
		return []dat.IAAddressPtr{nil, &net.TCPAddr{}, host(consumed)}[c.n(3)]
	}
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: firstPort + c.n(3)}
}

func (c *caller) services() {
	switch c.n(10) {
	case 8:
		var h dat.CSPHandle
		comm := dat.Comm{Domain: 2, Type: 1 + c.n(9)/8}
		if c.check("dat_csp_create", dat.CSPCreate(c.ia, some(c, &comm), c.common(), c.evd(dat.EVDCRFlag), some(c, &h))) == dat.Success {
			c.add(object{kind: dat.HandleTypeCSP, handle: dat.Handle(h), ia: c.ia})
		}
	case 9:
		var p dat.CSPParam
		h := dat.CSPHandle(c.handle(dat.HandleTypeCSP))
		c.check("dat_csp_query", dat.CSPQuery(h, dat.CSPFieldAll, some(c, &p)))
		c.freed("dat_csp_free", dat.Handle(h), dat.CSPFree(h))
	case 0, 1:
		var h dat.PSPHandle
		evd, q := c.evd(dat.EVDCRFlag), c.qualifier()
		ret := c.check("dat_psp_create", dat.PSPCreate(c.ia, q, evd, dat.PSPFlags(c.n(9)/4), some(c, &h)))
		if ret == dat.Success {
			c.add(object{kind: dat.HandleTypePSP, handle: dat.Handle(h), ia: c.ia, number: uint64(q)})
		}
	case 2:
		var h dat.PSPHandle
		var q dat.ConnQual
		if c.check("dat_psp_create_any", dat.PSPCreateAny(c.ia, some(c, &q), c.evd(dat.EVDCRFlag), dat.PSPProviderFlag, &h)) == dat.Success {
			c.add(object{kind: dat.HandleTypePSP, handle: dat.Handle(h), ia: c.ia, number: uint64(q)})
		}
	case 3:
		h := dat.PSPHandle(c.handle(dat.HandleTypePSP))
		c.freed("dat_psp_free", dat.Handle(h), dat.PSPFree(h))
	case 4:
		var p dat.PSPParam
		h := dat.PSPHandle(c.handle(dat.HandleTypePSP))
		c.check("dat_psp_query", dat.PSPQuery(h, dat.PSPParamMask(c.n(17)), some(c, &p)))
	case 5, 6:
		var h dat.RSPHandle
		ep, evd, q := dat.EPHandle(c.maybe(dat.HandleTypeEP)), c.evd(dat.EVDCRFlag), c.qualifier()
		if c.check("dat_rsp_create", dat.RSPCreate(c.ia, q, ep, evd, some(c, &h))) == dat.Success {
			c.add(object{kind: dat.HandleTypeRSP, handle: dat.Handle(h), ia: c.ia, number: uint64(q)})
		}
	default:
		var p dat.RSPParam
		h := dat.RSPHandle(c.handle(dat.HandleTypeRSP))
		c.check("dat_rsp_query", dat.RSPQuery(h, dat.RSPFieldAll, &p))
		c.freed("dat_rsp_free", dat.Handle(h), dat.RSPFree(h))
	}
}

func (c *caller) requests() {
	if len(c.live(dat.HandleTypeCR, nil)) == 0 && !c.rarely() {
		return
	}
	h := dat.CRHandle(c.handle(dat.HandleTypeCR))
	var q dat.CRParam
	switch ret := c.check("dat_cr_query", dat.CRQuery(h, dat.CRFieldAll, &q)); c.n(6) {
	case 0:
		c.rejected(h, q, c.freed("dat_cr_reject", dat.Handle(h), dat.CRReject(h)))
	case 1:
		size, private := c.private()
		c.rejected(h, q, c.freed("dat_cr_reject_20", dat.Handle(h), dat.CRReject20(h, size, private)))
	case 2:
		c.rejected(h, q, c.freed("dat_cr_handoff", dat.Handle(h), dat.CRHandoff(h, c.qualifier())))
	default:
		ep := dat.EPHandle(dat.HandleNull)
		if ret == dat.Success && q.LocalEPHandle == dat.HandleNull || c.rarely() {
			ep = dat.EPHandle(c.handle(dat.HandleTypeEP))
		}
		c.accept(h, q, ep)
	}
}

// accept accepts a request with an endpoint, or with that which it brings.
func (c *caller) accept(h dat.CRHandle, q dat.CRParam, ep dat.EPHandle) {
	own := ep
	if own == dat.HandleNull {
		own = q.LocalEPHandle
	}
	size, private := c.private()
	c.attempt(own, 1)
	if c.freed("dat_cr_accept", dat.Handle(h), dat.CRAccept(h, ep, size, private)) != dat.Success {
		c.attempt(own, -1)
		return
	}
	if o := c.find(dat.Handle(own)); o != nil {
		c.mu.Lock()
		o.lent = false
		c.mu.Unlock()
	}
}

// rejected enters that the provider's endpoint is gone with its request.
func (c *caller) rejected(h dat.CRHandle, q dat.CRParam, ret dat.Return) {
	if o := c.find(dat.Handle(q.LocalEPHandle)); ret == dat.Success && o != nil && o.lent {
		c.leave(o.handle)
	}
}

func (c *caller) contexts() {
	kind := dat.HandleType(c.n(12))
	h := c.handle(kind)
	c.dead = false // of another kind is good enough
	var x dat.Context
	set := c.check("dat_set_consumer_context", dat.SetConsumerContext(h, num(7)))
	if c.check("dat_get_consumer_context", dat.GetConsumerContext(h, &x)) == dat.Success && set == dat.Success && x.As64 != 7 {
		c.t.Fatalf("context %+v", x)
	}
	c.check("dat_get_handle_type", dat.GetHandleType(h, &kind))
}

// link connects two endpoints, if nothing is in the way.
func (c *caller) link() {
	points, eps := c.listening(), c.live(dat.HandleTypeEP, nil)
	if len(points) == 0 || len(eps) == 0 {
		return
	}
	sp, ep := points[c.n(len(points))], eps[c.n(len(eps))]
	h := dat.EPHandle(ep.handle)
	c.attempt(h, 1)
	if c.check("dat_ep_connect", dat.EPConnect(h, host(consumed), dat.ConnQual(sp.number), second, 0, nil, dat.QOSBestEffort, 0)) != dat.Success {
		c.attempt(h, -1)
		return
	}
	if c.pass(); c.n(8) == 0 {
		return
	}
	var p dat.PSPParam
	var r dat.RSPParam
	var ev dat.Event
	dat.PSPQuery(dat.PSPHandle(sp.handle), dat.PSPFieldAll, &p)
	dat.RSPQuery(dat.RSPHandle(sp.handle), dat.RSPFieldAll, &r)
	events := p.EVDHandle + r.EVDHandle // one is null
	for dat.EVDDequeue(events, &ev) == dat.Success {
		c.took(events, &ev)
	}
	crs := c.live(dat.HandleTypeCR, func(o *object) bool { return o.ia == sp.ia })
	if len(crs) == 0 {
		return
	}
	cr := dat.CRHandle(crs[len(crs)-1].handle)
	var q dat.CRParam
	dat.CRQuery(cr, dat.CRFieldAll, &q)
	if c.n(6) == 0 {
		c.rejected(cr, q, c.freed("dat_cr_handoff", dat.Handle(cr), dat.CRHandoff(cr, c.qualifier())))
		return
	}
	if c.ia, h = sp.ia, dat.HandleNull; q.LocalEPHandle == dat.HandleNull {
		if h = dat.EPHandle(c.handle(dat.HandleTypeEP)); h == dat.HandleNull {
			return
		}
	}
	c.dead = false
	c.accept(cr, q, h)
	c.pass()
	if h == dat.HandleNull {
		h = q.LocalEPHandle
	}
	for range c.n(8) { // traffic
		to := h
		if c.ia = sp.ia; c.n(2) == 0 {
			to, c.ia = dat.EPHandle(ep.handle), ep.ia
		}
		c.dead, c.first = false, false
		c.post(to)
	}
}
