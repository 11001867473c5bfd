package dat

// PSPCreate listens for connection requests (dat_psp_create): each becomes a CR
// and an event on evdHandle. The room in that dispatcher is the backlog. With
// [PSPProviderFlag] every CR brings an endpoint that lacks a zone and dispatchers.
// It blocks until the adapter listens.
func PSPCreate(iaHandle IAHandle, connQual ConnQual, evdHandle EVDHandle, pspFlags PSPFlags, pspHandle *PSPHandle) Return {
	s, ret := newPSP(iaHandle, connQual, connQual != 0, evdHandle, pspFlags, pspHandle)
	if ret == Success {
		*pspHandle = PSPHandle(s.handle)
	}
	return ret
}

// PSPCreateAny is PSPCreate with a free qualifier, which it returns
// (dat_psp_create_any, 1.1). [ConnQualUnavailable] if there is none.
func PSPCreateAny(iaHandle IAHandle, connQual *ConnQual, evdHandle EVDHandle, pspFlags PSPFlags, pspHandle *PSPHandle) Return {
	s, ret := newPSP(iaHandle, 0, connQual != nil, evdHandle, pspFlags, pspHandle)
	switch {
	case ret == Success:
		*connQual, *pspHandle = s.service(), PSPHandle(s.handle)
	case ret.Type() == ConnQualInUse:
		return failure(ConnQualUnavailable, NoSubtype)
	}
	return ret
}

// newPSP is common to both; named reports that the argument of the qualifier is there.
func newPSP(iaHandle IAHandle, qual ConnQual, named bool, evdHandle EVDHandle, flags PSPFlags, out *PSPHandle) (*sp, Return) {
	a := getIA(iaHandle)
	if a == nil {
		return nil, badIA
	}
	d := a.getEVD(evdHandle, EVDCRFlag)
	switch {
	case d == nil:
		return nil, failure(InvalidHandle, InvalidHandleEVDCR)
	case !named:
		return nil, badArg(2)
	case flags != PSPConsumerFlag && flags != PSPProviderFlag:
		return nil, badArg(4)
	case out == nil:
		return nil, badArg(5)
	}
	s := &sp{kind: HandleTypePSP, qual: qual, evd: d, flags: flags}
	s.ia, s.handle = a, psps.Reserve()
	if ret := s.listen(a.entry.provider.Address, ConnQualInUse); ret != Success {
		psps.Cancel(s.handle)
		return nil, ret
	}
	return s, register(psps, s)
}

// register adds a service point that listens.
func register(t *objects[sp], s *sp) Return {
	t.Put(s.handle, s)
	if !s.ia.add(s.handle, func() { t.Remove(s.handle); s.deafen() }) {
		t.Remove(s.handle)
		s.deafen()
		return badIA
	}
	return Success
}

// PSPQuery returns the properties of a service point (dat_psp_query).
func PSPQuery(pspHandle PSPHandle, pspParamMask PSPParamMask, pspParam *PSPParam) Return {
	s := psps.Get(Handle(pspHandle))
	switch {
	case s == nil:
		return failure(InvalidHandle, InvalidHandlePSP)
	case pspParamMask&^PSPFieldAll != 0:
		return badArg(2)
	case pspParam == nil:
		return badArg(3)
	}
	*pspParam = PSPParam{IAHandle(s.ia.handle), s.service(), EVDHandle(s.evd.handle), s.flags}
	return Success
}

// PSPFree stops listening (dat_psp_free). Pending CRs stay valid.
func PSPFree(pspHandle PSPHandle) Return {
	s := psps.Get(Handle(pspHandle))
	if s == nil || !psps.Remove(s.handle) {
		return failure(InvalidHandle, InvalidHandlePSP)
	}
	s.ia.forget(s.handle)
	s.deafen()
	return Success
}
