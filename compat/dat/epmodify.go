package dat

import "github.com/godapl/godapl/rdma"

// Members by when they may change.
const (
	epFixed = EPFieldIAHandle | EPFieldEPState | EPFieldComm | EPFieldLocalIAAddressPtr | EPFieldLocalPortQual |
		EPFieldRemoteIAAddressPtr | EPFieldRemotePortQual | EPFieldSRQHandle
	epSpecific = EPFieldEPAttrNumTransportAttr | EPFieldEPAttrTransportSpecificAttr |
		EPFieldEPAttrNumProviderAttr | EPFieldEPAttrProviderSpecificAttr
)

// EPModify changes the members in the mask, all or none (dat_ep_modify): the zone
// while the endpoint is UNCONNECTED or TENTATIVE, the dispatchers and attributes also
// while it is RESERVED or PASSIVE_CONNECTION_PENDING, the completion flags of
// receives only while none is posted, and the limit of receives not to less than are
// posted. There are no specific attributes here. With a shared receive queue SRQSoftHW arms
// the soft watermark, and leaves the hard one as it is; without one it is ignored.
func EPModify(epHandle EPHandle, epParamMask EPParamMask, epParam *EPParam) Return {
	e := getEP(epHandle)
	switch {
	case e == nil:
		return badEP
	case epParamMask&^EPFieldAll != 0 || epParamMask&epFixed != 0:
		return badArg(2)
	case epParam == nil:
		return badArg(3)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.freed {
		return badEP // it may not be closed yet, and has left its dispatchers
	}
	p, ret := e.changed(epParamMask, epParam)
	if ret != Success {
		return ret
	}
	if ret := e.mayChange(epParamMask, &p.attr); ret != Success {
		return ret
	}
	return e.change(p, epParamMask&EPFieldEPAttrSRQSoftHW != 0)
}

// changed is the parts with the members of the mask.
func (e *ep) changed(mask EPParamMask, from *EPParam) (epParts, Return) {
	p, at := e.parts, &from.EPAttr
	f := &p.attr
	for _, m := range [...]struct {
		bit EPParamMask
		set func()
	}{
		{EPFieldEPAttrServiceType, func() { f.ServiceType = at.ServiceType }},
		{EPFieldEPAttrMaxMessageSize, func() { f.MaxMessageSize = at.MaxMessageSize }},
		{EPFieldEPAttrMaxRDMASize, func() { f.MaxRDMASize = at.MaxRDMASize }},
		{EPFieldEPAttrQOS, func() { f.QOS = at.QOS }},
		{EPFieldEPAttrRecvCompletionFlags, func() { f.RecvCompletionFlags = at.RecvCompletionFlags }},
		{EPFieldEPAttrRequestCompletionFlags, func() { f.RequestCompletionFlags = at.RequestCompletionFlags }},
		{EPFieldEPAttrMaxRecvDTOS, func() { f.MaxRecvDTOS = at.MaxRecvDTOS }},
		{EPFieldEPAttrMaxRequestDTOS, func() { f.MaxRequestDTOS = at.MaxRequestDTOS }},
		{EPFieldEPAttrMaxRecvIOV, func() { f.MaxRecvIOV = at.MaxRecvIOV }},
		{EPFieldEPAttrMaxRequestIOV, func() { f.MaxRequestIOV = at.MaxRequestIOV }},
		{EPFieldEPAttrMaxRDMAReadIn, func() { f.MaxRDMAReadIn = at.MaxRDMAReadIn }},
		{EPFieldEPAttrMaxRDMAReadOut, func() { f.MaxRDMAReadOut = at.MaxRDMAReadOut }},
		{EPFieldEPAttrSRQSoftHW, func() { f.SRQSoftHW = at.SRQSoftHW }},
		{EPFieldEPAttrMaxRDMAReadIOV, func() { f.MaxRDMAReadIOV = at.MaxRDMAReadIOV }},
		{EPFieldEPAttrMaxRDMAWriteIOV, func() { f.MaxRDMAWriteIOV = at.MaxRDMAWriteIOV }},
		{EPFieldEPAttrNumTransportAttr, func() { f.EPTransportSpecificCount = at.EPTransportSpecificCount }},
		{EPFieldEPAttrNumProviderAttr, func() { f.EPProviderSpecificCount = at.EPProviderSpecificCount }},
	} {
		if mask&m.bit != 0 {
			m.set()
		}
	}
	if p.srq != nil {
		f.MaxRecvIOV = e.parts.attr.MaxRecvIOV // the queue's
	}
	switch ret := e.ia.checkAttr(f, 3); {
	case ret.Type() == ModelNotSupported: // of dat_ep_create alone
		return p, badArg(3)
	case ret != Success:
		return p, ret
	}
	if p.srq == nil {
		f.SRQSoftHW = e.parts.attr.SRQSoftHW
	}
	return p, e.changedHandles(&p, mask, from)
}

func (e *ep) changedHandles(p *epParts, mask EPParamMask, from *EPParam) Return {
	now := epParts{}
	h := func(bit EPParamMask, h EVDHandle) EVDHandle {
		if mask&bit != 0 {
			return h
		}
		return HandleNull
	}
	pzHandle := PZHandle(HandleNull)
	if mask&EPFieldPZHandle != 0 {
		pzHandle = from.PZHandle
	}
	if ret := e.ia.findParts(&now, pzHandle, h(EPFieldRecvEVDHandle, from.RecvEVDHandle),
		h(EPFieldRequestEVDHandle, from.RequestEVDHandle), h(EPFieldConnectEVDHandle, from.ConnectEVDHandle)); ret != Success {
		return ret
	}
	if mask&EPFieldPZHandle != 0 {
		p.pz = now.pz
	}
	if mask&EPFieldRecvEVDHandle != 0 {
		p.recv = now.recv
	}
	if mask&EPFieldRequestEVDHandle != 0 {
		p.request = now.request
	}
	if mask&EPFieldConnectEVDHandle != 0 {
		p.connect = now.connect
	}
	return Success
}

// mayChange reports whether the state allows the changes. to is the attributes with them.
func (e *ep) mayChange(mask EPParamMask, to *EPAttr) Return {
	s := e.state()
	switch s {
	case EPStateUnconnected, EPStateTentativeConnectionPending:
	case EPStateReserved, EPStatePassiveConnectionPending:
		if mask&(EPFieldPZHandle|epSpecific) != 0 {
			return e.wrongState(s)
		}
	default:
		return e.wrongState(s)
	}
	if s == EPStateTentativeConnectionPending && mask&epSpecific != 0 {
		return e.wrongState(s)
	}
	if _, receives := e.native.Outstanding(); receives > 0 && mask&EPFieldEPAttrRecvCompletionFlags != 0 || receives > int(to.MaxRecvDTOS) {
		return e.wrongState(s)
	}
	return Success
}

// change makes p the endpoint's parts, and arms its soft watermark. e.mu is held.
func (e *ep) change(p epParts, arm bool) Return {
	if !p.oneZone() {
		return badArg(3)
	}
	roles := rolesOf(&p)
	if !replaceRoles(e.roles, roles) {
		return badArg(3)
	}
	if err := e.native.Modify(e.ia.config(&p)); err != nil {
		restoreRoles(e.roles, roles)
		// Another goroutine may have posted receives since mayChange.
		if _, receives := e.native.Outstanding(); codeOf(err) == rdma.ErrState || receives > int(p.attr.MaxRecvDTOS) {
			return e.wrongState(e.state())
		}
		return result(err, badArg(3).Subtype(), ResourceTEP, InvalidHandleEP)
	}
	if p.srq != nil && arm {
		e.native.SetWatermarks(int(p.attr.SRQSoftHW), int(e.hard))
	}
	e.roles, e.parts = roles, p
	e.rules.Store(rulesOf(&p))
	return Success
}
