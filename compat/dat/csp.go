package dat

// The families, types and protocols of a [Comm] that a common service point takes:
// AF_INET or AF_INET6, SOCK_STREAM, and 0 or IPPROTO_TCP.
const (
	familyIPv4, familyIPv6 = 2, 10
	typeStream             = 1
	protocolTCP            = 6
)

// CSPCreate listens like a PSP, at an address whose port is the service
// (dat_csp_create, 2.0; the semantics are partly inferred). [PortInUse],
// [CommNotSupported].
func CSPCreate(iaHandle IAHandle, comm *Comm, address IAAddressPtr, evdHandle EVDHandle, cspHandle *CSPHandle) Return {
	a := getIA(iaHandle)
	if a == nil {
		return badIA
	}
	d := a.getEVD(evdHandle, EVDCRFlag)
	switch {
	case d == nil:
		return failure(InvalidHandle, InvalidHandleEVDCR)
	case comm == nil:
		return badArg(2)
	case missing(address):
		return badArg(3)
	case cspHandle == nil:
		return badArg(5)
	case comm.Domain != familyIPv4 && comm.Domain != familyIPv6 || comm.Type != typeStream ||
		comm.Protocol != 0 && comm.Protocol != protocolTCP:
		return failure(CommNotSupported, NoSubtype)
	}
	host, port := hostOf(address)
	if ret := checkAddress(host); ret != Success {
		return ret
	}
	if port == 0 {
		return badArg(3)
	}
	s := &sp{kind: HandleTypeCSP, qual: ConnQual(port), evd: d, comm: *comm, address: address}
	s.ia, s.handle = a, csps.Reserve()
	if ret := s.listen(a.entry.provider.Address, PortInUse); ret != Success {
		csps.Cancel(s.handle)
		return ret
	}
	*cspHandle = CSPHandle(s.handle)
	return register(csps, s)
}

var badCSP = failure(InvalidHandle, InvalidHandleCSP)

// CSPQuery returns the properties of a common service point (dat_csp_query, 2.0).
func CSPQuery(cspHandle CSPHandle, cspParamMask CSPParamMask, cspParam *CSPParam) Return {
	s := csps.Get(Handle(cspHandle))
	switch {
	case s == nil:
		return badCSP
	case cspParamMask&^CSPFieldAll != 0:
		return badArg(2)
	case cspParam == nil:
		return badArg(3)
	}
	comm := s.comm
	*cspParam = CSPParam{IAHandle(s.ia.handle), &comm, s.address, EVDHandle(s.evd.handle)}
	return Success
}

// CSPFree stops listening (dat_csp_free, 2.0).
func CSPFree(cspHandle CSPHandle) Return {
	s := csps.Get(Handle(cspHandle))
	if s == nil || !csps.Remove(s.handle) {
		return badCSP
	}
	s.ia.forget(s.handle)
	s.deafen()
	return Success
}
