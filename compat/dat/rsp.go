package dat

// RSPCreate listens for one connection request, which will come with the given endpoint
// (dat_rsp_create): the endpoint is RESERVED until then, and PASSIVE_CONNECTION_PENDING
// afterwards. With a null endpoint the provider makes one. After its event the service
// point is finished; freeing it once more is allowed.
func RSPCreate(iaHandle IAHandle, connQual ConnQual, epHandle EPHandle, evdHandle EVDHandle, rspHandle *RSPHandle) Return {
	a := getIA(iaHandle)
	if a == nil {
		return badIA
	}
	var e *ep
	if epHandle != HandleNull {
		if e = a.getEP(epHandle); e == nil {
			return badEP
		}
	}
	d := a.getEVD(evdHandle, EVDCRFlag)
	switch {
	case d == nil:
		return failure(InvalidHandle, InvalidHandleEVDCR)
	case connQual == 0:
		return badArg(2)
	case rspHandle == nil:
		return badArg(5)
	}
	if e != nil {
		if ret := e.reserve(); ret != Success {
			return ret
		}
	}
	s := &sp{kind: HandleTypeRSP, qual: connQual, evd: d, ep: e}
	s.ia, s.handle = a, rsps.Reserve()
	if ret := s.listen(a.entry.provider.Address, ConnQualInUse); ret != Success {
		rsps.Cancel(s.handle)
		if e != nil {
			e.setPhase(0)
		}
		return ret
	}
	*rspHandle = RSPHandle(s.handle)
	return register(rsps, s)
}

// RSPQuery returns the properties of a reserved service point (dat_rsp_query).
func RSPQuery(rspHandle RSPHandle, rspParamMask RSPParamMask, rspParam *RSPParam) Return {
	s := rsps.Get(Handle(rspHandle))
	switch {
	case s == nil:
		return badRSP
	case rspParamMask&^RSPFieldAll != 0:
		return badArg(2)
	case rspParam == nil:
		return badArg(3)
	}
	*rspParam = RSPParam{IAHandle: IAHandle(s.ia.handle), ConnQual: s.service(), EVDHandle: EVDHandle(s.evd.handle)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ep != nil {
		rspParam.EPHandle = EPHandle(s.ep.handle)
	}
	return Success
}

var badRSP = failure(InvalidHandle, InvalidHandleRSP)

// RSPFree stops listening (dat_rsp_free); the endpoint is UNCONNECTED again, unless
// its request has come.
func RSPFree(rspHandle RSPHandle) Return {
	s := rsps.Get(Handle(rspHandle))
	if s == nil || !rsps.Remove(s.handle) {
		return badRSP
	}
	s.ia.forget(s.handle)
	s.deafen()
	s.mu.Lock()
	e := s.ep
	s.ep = nil
	s.mu.Unlock()
	if e != nil {
		e.setPhase(0)
	}
	return Success
}
