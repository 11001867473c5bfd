package dat

// EPCreate makes an endpoint (dat_ep_create), UNCONNECTED. A null dispatcher means that
// its events are not wanted. A null zone must be set with EPModify before use. Nil
// attributes are the defaults of [EPQuery]. Unlike in 1.0, binds always complete on the
// request dispatcher.
func EPCreate(iaHandle IAHandle, pzHandle PZHandle, recvEVDHandle, requestEVDHandle, connectEVDHandle EVDHandle, epAttributes *EPAttr, epHandle *EPHandle) Return {
	a := getIA(iaHandle)
	if a == nil {
		return badIA
	}
	p := epParts{attr: a.defaultAttr()}
	if epAttributes != nil {
		p.attr = *epAttributes
	}
	if ret := a.findParts(&p, pzHandle, recvEVDHandle, requestEVDHandle, connectEVDHandle); ret != Success {
		return ret
	}
	return a.createEP(p, 6, epHandle)
}

// EPCreate10 is EPCreate in the form of 1.0, with a dispatcher for binds, which needs
// the RMR_BIND flag. If it is null, binds complete on the request dispatcher. The bind
// dispatcher of one endpoint cannot be the request dispatcher of another endpoint that
// also has a bind dispatcher: [InvalidParameter].
func EPCreate10(iaHandle IAHandle, pzHandle PZHandle, recvEVDHandle, requestEVDHandle, connectEVDHandle, rmrBindEVDHandle EVDHandle, epAttributes *EPAttr, epHandle *EPHandle) Return {
	a := getIA(iaHandle)
	if a == nil {
		return badIA
	}
	p := epParts{attr: a.defaultAttr()}
	if epAttributes != nil {
		p.attr = *epAttributes
	}
	if ret := a.findParts(&p, pzHandle, recvEVDHandle, requestEVDHandle, connectEVDHandle); ret != Success {
		return ret
	}
	if rmrBindEVDHandle != HandleNull && rmrBindEVDHandle != requestEVDHandle {
		if p.bind = a.getEVD(rmrBindEVDHandle, EVDRMRBindFlag); p.bind == nil {
			return failure(InvalidHandle, InvalidHandle6)
		}
	}
	return a.createEP(p, 7, epHandle)
}

// EPCreateWithSRQ makes an endpoint whose receives come from a shared receive queue
// (dat_ep_create_with_srq, 1.2). The attributes are required; their MaxRecvIOV is
// ignored. The zone must be the queue's.
func EPCreateWithSRQ(iaHandle IAHandle, pzHandle PZHandle, recvEVDHandle, requestEVDHandle, connectEVDHandle EVDHandle, srqHandle SRQHandle, epAttributes *EPAttr, epHandle *EPHandle) Return {
	a := getIA(iaHandle)
	if a == nil {
		return badIA
	}
	s := srqs.Get(Handle(srqHandle))
	if s == nil || s.ia != a {
		return failure(InvalidHandle, InvalidHandleSRQ)
	}
	p := epParts{srq: s}
	if ret := a.findParts(&p, pzHandle, recvEVDHandle, requestEVDHandle, connectEVDHandle); ret != Success {
		return ret
	}
	if epAttributes == nil {
		return badArg(7)
	}
	p.attr = *epAttributes
	p.attr.MaxRecvIOV = max(s.iov, 1)
	if !p.oneZone() {
		return badArg(2)
	}
	return a.createEP(p, 7, epHandle)
}

// oneZone wants the endpoint's zone to be that of its shared receive queue, as
// adapters here do.
func (p *epParts) oneZone() bool { return p.srq == nil || p.pz == nil || p.pz == p.srq.pz }

// findParts looks up the handles. Null handles are allowed.
func (a *ia) findParts(p *epParts, pzHandle PZHandle, recv, request, connect EVDHandle) Return {
	if pzHandle != HandleNull {
		if p.pz = a.getPZ(pzHandle); p.pz == nil {
			return badPZ
		}
	}
	for _, f := range [...]struct {
		h      EVDHandle
		to     **evd
		stream EVDFlags
		sub    Return
	}{
		{recv, &p.recv, EVDDTOFlag, InvalidHandleEVDRecv},
		{request, &p.request, EVDDTOFlag, InvalidHandleEVDRequest},
		{connect, &p.connect, EVDConnectionFlag, InvalidHandleEVDConn},
	} {
		if f.h == HandleNull {
			continue
		}
		if *f.to = a.getEVD(f.h, f.stream); *f.to == nil {
			return failure(InvalidHandle, f.sub)
		}
	}
	return Success
}

// createEP checks the attributes, which are the n-th argument, and makes the
// endpoint.
func (a *ia) createEP(p epParts, n int, out *EPHandle) Return {
	if ret := a.checkAttr(&p.attr, n); ret != Success {
		return ret
	}
	if out == nil {
		return badArg(n + 1)
	}
	e, ret := a.newEP(p)
	if ret != Success {
		if ret.Type() == InvalidParameter {
			return badArg(n)
		}
		return ret
	}
	*out = EPHandle(e.handle)
	return Success
}

// defaultAttr is the attributes of an endpoint that is made without.
func (a *ia) defaultAttr() EPAttr {
	at := &a.attr
	return EPAttr{
		MaxMessageSize: limitLen(at.MaxMessage), MaxRDMASize: limitLen(at.MaxTransfer),
		RecvCompletionFlags: CompletionEVDThresholdFlag, RequestCompletionFlags: CompletionEVDThresholdFlag,
		MaxRecvDTOS: limit(16, at.MaxRecvDepth), MaxRequestDTOS: limit(16, at.MaxSendDepth),
		MaxRecvIOV: limit(8, at.MaxSegments), MaxRequestIOV: limit(8, at.MaxSegments),
		MaxRDMAReadIn: limit(4, at.MaxReadsIn), MaxRDMAReadOut: limit(4, at.MaxReadsOut),
		SRQSoftHW: HWDefault, MaxRDMAReadIOV: limit(8, at.MaxReadSegments), MaxRDMAWriteIOV: limit(8, at.MaxSegments),
	}
}

// limit is n, or the adapter's limit if that is less; 0 is no limit.
func limit(n Count, most int) Count {
	if most > 0 && most < int(n) {
		return Count(most)
	}
	return n
}

// limitLen is the adapter's limit, and the largest there is for none.
func limitLen(most uint64) Vlen {
	if most == 0 {
		return 1<<32 - 1
	}
	return Vlen(most)
}

// checkAttr refuses attributes that are out of range; n is which argument they are.
func (a *ia) checkAttr(at *EPAttr, n int) Return {
	if at.ServiceType != ServiceTypeRC {
		return failure(ModelNotSupported, NoSubtype)
	}
	switch at.QOS {
	case QOSBestEffort:
	case QOSHighThroughput, QOSLowLatency, QOSEconomy, QOSPremium:
		return failure(ModelNotSupported, NoSubtype)
	default:
		return badArg(n)
	}
	m := &a.attr
	for _, f := range [...]struct {
		n    Count
		most int
	}{
		{at.MaxRecvDTOS, m.MaxRecvDepth}, {at.MaxRequestDTOS, m.MaxSendDepth},
		{at.MaxRecvIOV, m.MaxSegments}, {at.MaxRequestIOV, m.MaxSegments},
		{at.MaxRDMAReadIn, m.MaxReadsIn}, {at.MaxRDMAReadOut, m.MaxReadsOut},
		{at.MaxRDMAReadIOV, m.MaxReadSegments}, {at.MaxRDMAWriteIOV, m.MaxSegments},
	} {
		if f.n < 0 || f.most > 0 && int(f.n) > f.most {
			return badArg(n)
		}
	}
	switch {
	case at.MaxMessageSize > limitLen(m.MaxMessage), at.MaxRDMASize > limitLen(m.MaxTransfer),
		at.MaxRecvDTOS > 0 && at.MaxRecvIOV == 0, at.MaxRequestDTOS > 0 && at.MaxRequestIOV == 0,
		at.SRQSoftHW < HWDefault, at.EPTransportSpecificCount != 0, at.EPProviderSpecificCount != 0,
		!recvAttr(at.RecvCompletionFlags), !requestAttr(at.RequestCompletionFlags):
		return badArg(n)
	}
	return Success
}

func recvAttr(f CompletionFlags) bool {
	return f == CompletionSolicitedWaitFlag || requestAttr(f)
}

func requestAttr(f CompletionFlags) bool {
	return f == CompletionDefaultFlag || f == CompletionUnsignalledFlag || f == CompletionEVDThresholdFlag
}

// EPFree frees an endpoint (dat_ep_free), and ends its connection abruptly.
// [InvalidState] while it belongs to a service point or request. It waits until no
// access is under way.
func EPFree(epHandle EPHandle) Return {
	e := getEP(epHandle)
	if e == nil {
		return badEP
	}
	e.mu.Lock()
	if s := EPState(e.phase.Load()); s != 0 {
		e.mu.Unlock()
		return e.wrongState(s)
	}
	return e.finish()
}
