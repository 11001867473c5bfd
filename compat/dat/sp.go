package dat

import (
	"cmp"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
)

// sp is a service point of any kind: a listener whose requests become CRs.
type sp struct {
	object
	kind     HandleType
	qual     ConnQual
	evd      *evd
	flags    PSPFlags
	comm     Comm
	address  IAAddressPtr
	listener *rdma.Listener
	spent    atomic.Bool // an RSP that has had its request, or is about to
	taking   sync.Mutex  // an RSP takes a request: see used
	closing  sync.Once

	mu sync.Mutex
	ep *ep // an RSP's, until its request comes
}

// listen makes the service point hear. any lets the adapter choose the qualifier.
func (s *sp) listen(host string, taken Return) Return {
	a := s.ia
	if !s.evd.use() {
		return failure(InvalidHandle, InvalidHandleEVDCR)
	}
	opened.sweep(a.name, s.qual)
	if s.qual != 0 {
		release, ok := opened.claim(a.name, s.qual)
		if !ok {
			s.evd.unuse()
			return failure(taken, NoSubtype)
		}
		defer release() // behind the entry in services
	}
	l, err := a.adapter.Listen(a.ctx, a.reach(joinAddress(host, s.qual)), rdma.ListenConfig{Sink: rdma.SinkFunc(s.arrived)})
	if err != nil {
		s.evd.unuse()
		switch code := codeOf(err); {
		case code == rdma.ErrServiceInUse:
			return failure(taken, NoSubtype)
		case code == rdma.ErrServiceUnavailable && s.kind == HandleTypeCSP:
			return badArg(3)
		case code == rdma.ErrServiceUnavailable && s.qual != 0:
			return badArg(2) // the system keeps that port for others
		}
		return result(err, ResourceDevice, InvalidHandleIA, InvalidAddressUnreachable) // the provider's address
	}
	qual := s.hears(l)
	a.mu.Lock()
	a.services[qual] = s
	a.mu.Unlock()
	return Success
}

// hears stores the listener and returns the qualifier, which the listener may have chosen. A request may
// arrive before the call that creates the listener has returned.
func (s *sp) hears(l *rdma.Listener) ConnQual {
	_, port := parseAddress(l.Addr().String())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener == nil {
		s.listener, s.qual = l, cmp.Or(s.qual, ConnQual(port))
	}
	return s.qual
}

// service is the qualifier.
func (s *sp) service() ConnQual {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.qual
}

// used reports whether an RSP has had its request. It waits for a request that is arriving, which may find no
// room. The caller holds no lock of the adapter.
func (s *sp) used() bool {
	s.taking.Lock()
	defer s.taking.Unlock()
	return s.spent.Load()
}

// deafen ends the listening, once, and returns when it has ended.
func (s *sp) deafen() {
	s.closing.Do(func() {
		s.mu.Lock()
		l, qual := s.listener, s.qual
		s.mu.Unlock()
		l.Close()
		a := s.ia
		a.mu.Lock()
		if a.services[qual] == s {
			delete(a.services, qual)
		}
		a.mu.Unlock()
		s.evd.unuse()
	})
}

// arrived makes a CR of a request, and reports success. Without success the peer is
// refused as if nothing listened.
func (s *sp) arrived(r *rdma.ConnRequest) bool {
	if s.kind == HandleTypeRSP {
		s.taking.Lock()
		defer s.taking.Unlock()
		if s.spent.Swap(true) {
			return false
		}
	}
	qual := s.hears(r.Listener())
	c := &cr{request: r, sp: s}
	c.ia, c.handle = s.ia, crs.Reserve()
	if !s.lendEP(c) {
		s.spent.Store(false)
		crs.Cancel(c.handle)
		return false
	}
	crs.Put(c.handle, c)
	local, _ := parseAddress(r.LocalAddr().String())
	ev := record{number: ConnectionRequestEvent, handle: c.handle, ptr: &request{c, s.handles(), local, qual}}
	ok := s.ia.add(c.handle, func() { crs.Remove(c.handle) })
	if !ok || !feed(s.evd.d).Put(&ev, false) { // which reports that there is no room
		s.ia.forget(c.handle)
		crs.Remove(c.handle)
		s.takeBackEP(c)
		s.spent.Store(false)
		return false
	}
	if s.kind == HandleTypeRSP {
		s.ia.goroutines.Go(s.deafen) // the listener is calling us
	}
	return true
}

func (s *sp) handles() (h SPHandle) {
	switch s.kind {
	case HandleTypePSP:
		h.PSPHandle = PSPHandle(s.handle)
	case HandleTypeRSP:
		h.RSPHandle = RSPHandle(s.handle)
	default:
		h.CSPHandle = CSPHandle(s.handle)
	}
	return h
}

// lendEP gives the request its endpoint: the RSP's, or one of the provider's.
func (s *sp) lendEP(c *cr) bool {
	s.mu.Lock()
	e := s.ep
	s.ep = nil
	s.mu.Unlock()
	if e == nil && (s.kind == HandleTypeRSP || s.flags == PSPProviderFlag) {
		var ret Return
		if e, ret = s.ia.newEP(epParts{attr: s.ia.defaultAttr(), phase: EPStateTentativeConnectionPending}); ret != Success {
			return false
		}
		c.made = true
	} else if e != nil {
		e.setPhase(EPStatePassiveConnectionPending)
	}
	if c.ep = e; e != nil {
		e.mu.Lock()
		e.remote = c.from()
		e.mu.Unlock()
	}
	return true
}

// takeBackEP undoes it.
func (s *sp) takeBackEP(c *cr) {
	switch {
	case c.made:
		c.ep.end()
	case c.ep != nil:
		c.ep.setPhase(EPStateReserved)
		s.mu.Lock()
		s.ep = c.ep
		s.mu.Unlock()
	}
}
