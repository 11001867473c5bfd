package dat

// EPQuery returns the properties of an endpoint (dat_ep_query), in any state. Addresses
// and qualifiers are those of the connection or attempt; without one they are nil and
// 0.
func EPQuery(epHandle EPHandle, epParamMask EPParamMask, epParam *EPParam) Return {
	e := getEP(epHandle)
	switch {
	case e == nil:
		return badEP
	case epParamMask&^(EPFieldAll|EPFieldComm) != 0:
		return badArg(2)
	case epParam == nil:
		return badArg(3)
	}
	e.mu.Lock()
	p, remote := e.parts, e.remote
	e.mu.Unlock()
	*epParam = EPParam{IAHandle: IAHandle(e.ia.handle), EPState: e.state(), Comm: Comm{familyIPv4, typeStream, 0},
		LocalIAAddressPtr: e.ia.address, EPAttr: p.attr}
	if p.pz != nil {
		epParam.PZHandle = PZHandle(p.pz.handle)
	}
	for _, f := range [...]struct {
		d  *evd
		to *EVDHandle
	}{{p.recv, &epParam.RecvEVDHandle}, {p.request, &epParam.RequestEVDHandle}, {p.connect, &epParam.ConnectEVDHandle}} {
		if f.d != nil {
			*f.to = EVDHandle(f.d.handle)
		}
	}
	if p.srq != nil {
		epParam.SRQHandle = SRQHandle(p.srq.handle)
	}
	switch epParam.EPState {
	case EPStateUnconnected, EPStateReserved, EPStateDisconnected:
		return Success
	}
	epParam.RemoteIAAddressPtr, epParam.RemotePortQual = parseAddress(remote.address)
	epParam.LocalPortQual = remote.local
	if c := e.native.Conn(); c != nil {
		_, epParam.LocalPortQual = parseAddress(c.LocalAddr().String())
	}
	return Success
}

// EPGetStatus returns the state, and whether all posted operations are complete
// (dat_ep_get_status). Outputs may be nil, but not all. Receives on a shared queue
// do not count.
func EPGetStatus(epHandle EPHandle, epState *EPState, recvIdle, requestIdle *Boolean) Return {
	e := getEP(epHandle)
	if e == nil {
		return badEP
	}
	if epState == nil && recvIdle == nil && requestIdle == nil {
		return badArg(2)
	}
	requests, receives := e.native.Outstanding()
	if epState != nil {
		*epState = e.state()
	}
	if recvIdle != nil {
		*recvIdle = receives == 0
	}
	if requestIdle != nil {
		*requestIdle = requests == 0
	}
	return Success
}

// EPRecvQuery counts the receives that the endpoint holds, and how many completions
// would follow if all that is arriving now succeeded (dat_ep_recv_query, 1.2).
// Either pointer may be nil, not both.
func EPRecvQuery(epHandle EPHandle, nbufsAllocated, bufsAllocSpan *Count) Return {
	e := getEP(epHandle)
	if e == nil {
		return badEP
	}
	if nbufsAllocated == nil && bufsAllocSpan == nil {
		return badArg(2)
	}
	buffers, span := e.native.Held()
	if nbufsAllocated != nil {
		*nbufsAllocated = Count(buffers)
	}
	if bufsAllocSpan != nil {
		*bufsAllocSpan = Count(span)
	}
	return Success
}

// EPSetWatermark sets and arms the two marks on the receives that an endpoint holds
// (dat_ep_set_watermark, 1.2): above the soft one there is one asynchronous event,
// above the hard one the connection is broken. [WatermarkInfinite] is off.
func EPSetWatermark(epHandle EPHandle, softHighWatermark, hardHighWatermark Count) Return {
	e := getEP(epHandle)
	switch {
	case e == nil:
		return badEP
	case softHighWatermark < WatermarkInfinite:
		return badArg(2)
	case hardHighWatermark < WatermarkInfinite:
		return badArg(3)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.native.SetWatermarks(int(softHighWatermark), int(hardHighWatermark)); err != nil {
		return result(err, InvalidHandleEP)
	}
	e.parts.attr.SRQSoftHW, e.hard = softHighWatermark, hardHighWatermark
	return Success
}
