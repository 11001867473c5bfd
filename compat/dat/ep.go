package dat

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
)

// ep is an endpoint.
type ep struct {
	object
	native *rdma.Endpoint
	// phase is a state that only exists here: RESERVED, PASSIVE and TENTATIVE;
	// 0 is none of them.
	phase atomic.Uint32
	rules atomic.Pointer[rules] // read by posts
	left  suppressed
	// active: it is this side that connects, or did so last.
	active atomic.Bool
	// asked: this side has requested the end of the latest connection or attempt.
	asked atomic.Bool

	mu     sync.Mutex
	hard   Count // watermark
	parts  epParts
	roles  []role // as they are attached
	remote target // of the latest connect
	freed  bool
}

// epParts are the parts of an endpoint.
type epParts struct {
	pz                     *pz
	recv, request, connect *evd
	bind                   *evd // 1.0's; nil: binds complete with the requests
	srq                    *srq
	attr                   EPAttr
	phase                  EPState
}

// target is where an endpoint was connected to.
type target struct {
	address string // host:service
	flags   ConnectFlags
	local   PortQual // of this side, if it is known before there is a connection
}

// rules are the limits of posts.
type rules struct {
	maxMessage, maxRDMA                    Vlen
	recvIOV, requestIOV, readIOV, writeIOV Count
	recvDTOs, requestDTOs                  Count
	recvUnsignalled, requestUnsignalled    bool
	srq                                    *srq                  // nil: receives are posted here
	connects                               bool                  // it has a connect dispatcher
	zone                                   bool                  // it has one
	receives                               bool                  // receives may be posted here
	sends, reads, writes                   bool                  // so may these, with a segment
	requests                               *rdma.CompletionQueue // nil: completions of requests are dropped
}

func rulesOf(p *epParts) *rules {
	a := &p.attr
	var requests *rdma.CompletionQueue
	if p.request != nil {
		requests = p.request.cq
	}
	return &rules{a.MaxMessageSize, a.MaxRDMASize, a.MaxRecvIOV, a.MaxRequestIOV, a.MaxRDMAReadIOV, a.MaxRDMAWriteIOV,
		a.MaxRecvDTOS, a.MaxRequestDTOS, a.RecvCompletionFlags&CompletionUnsignalledFlag != 0,
		a.RequestCompletionFlags&CompletionUnsignalledFlag != 0, p.srq, p.connect != nil,
		p.pz != nil, p.pz != nil && p.srq == nil && a.MaxRecvDTOS > 0,
		a.MaxRequestDTOS > 0 && a.MaxRequestIOV > 0, a.MaxRequestDTOS > 0 && a.MaxRDMAReadIOV > 0,
		a.MaxRequestDTOS > 0 && a.MaxRDMAWriteIOV > 0, requests}
}

// unknown is how many requests may be posted after a suppressed one while it is not known whether that will
// make an event: as many as can be under way, and as many as can be flushed while nobody takes their events.
func (r *rules) unknown() int {
	n := int(r.requestDTOs)
	if r.requests != nil {
		n += r.requests.Depth()
	}
	return n
}

var badEP = failure(InvalidHandle, InvalidHandleEP)

func getEP(h EPHandle) *ep { return eps.Get(Handle(h)) }

func (a *ia) getEP(h EPHandle) *ep {
	e := getEP(h)
	if e == nil || e.ia != a {
		return nil
	}
	return e
}

func (e *ep) setPhase(s EPState) { e.phase.Store(uint32(s)) }

// state is the endpoint's state, which can be more specific than the native one.
func (e *ep) state() EPState {
	if p := EPState(e.phase.Load()); p != 0 {
		return p
	}
	return EPState(e.native.State())
}

// reserve makes an idle endpoint RESERVED.
func (e *ep) reserve() Return {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.freed {
		return badEP // it may not be closed yet
	}
	if s := e.state(); s != EPStateUnconnected {
		return e.wrongState(s)
	}
	e.setPhase(EPStateReserved)
	return Success
}

// wrongState is INVALID_STATE that names the state.
func (e *ep) wrongState(s EPState) Return {
	sub, ok := stateSubtypes[s]
	if !ok {
		return badEP // closed
	}
	return failure(InvalidState, sub)
}

var stateSubtypes = map[EPState]Return{
	EPStateUnconnected:                InvalidStateEPUnconnected,
	EPStateReserved:                   InvalidStateEPReserved,
	EPStatePassiveConnectionPending:   InvalidStateEPPassconnpending,
	EPStateTentativeConnectionPending: InvalidStateEPTentconnpending,
	EPStateActiveConnectionPending:    InvalidStateEPActconnpending,
	EPStateCompletionPending:          InvalidStateEPComplpending,
	EPStateConnected:                  InvalidStateEPConnected,
	EPStateDisconnectPending:          InvalidStateEPDiscpending,
	EPStateDisconnected:               InvalidStateEPDisconnected,
}

// newEP makes an endpoint of its parts.
func (a *ia) newEP(p epParts) (*ep, Return) {
	if p.srq == nil {
		p.attr.SRQSoftHW = HWDefault // programs leave it 0, which would be a mark
	}
	e := &ep{parts: p, hard: WatermarkInfinite}
	e.ia, e.handle = a, eps.Reserve()
	e.setPhase(p.phase)
	e.rules.Store(rulesOf(&p))
	e.roles = rolesOf(&p)
	if !replaceRoles(nil, e.roles) {
		eps.Cancel(e.handle)
		return nil, badArg(6)
	}
	cfg := a.config(&p)
	cfg.Tag = uint64(e.handle)
	native, err := a.adapter.NewEndpoint(cfg)
	if err != nil {
		replaceRoles(e.roles, nil)
		eps.Cancel(e.handle)
		return nil, result(err, ResourceTEP, badArg(6).Subtype(), InvalidHandleIA)
	}
	e.native = native
	if p.attr.SRQSoftHW >= 0 && p.srq != nil {
		native.SetWatermarks(int(p.attr.SRQSoftHW), int(e.hard))
	}
	eps.Put(e.handle, e)
	if !a.add(e.handle, func() { e.end() }) {
		e.end()
		return nil, badIA
	}
	return e, Success
}

// rolesOf are the streams of an endpoint.
func rolesOf(p *epParts) (all []role) {
	if p.recv != nil {
		all = append(all, role{p.recv, true, p.attr.RecvCompletionFlags})
	}
	if p.request != nil {
		all = append(all, role{p.request, true, p.attr.RequestCompletionFlags})
	}
	if p.bind != nil {
		all = append(all, role{p.bind, true, p.attr.RequestCompletionFlags})
	}
	if p.connect != nil {
		all = append(all, role{d: p.connect})
	}
	return all
}

// config translates the parts. Streams without a dispatcher go to a queue that drops
// them.
func (a *ia) config(p *epParts) rdma.EndpointConfig {
	at := &p.attr
	none := func(n Count) int {
		if n == 0 {
			return -1
		}
		return int(n)
	}
	cfg := rdma.EndpointConfig{
		SendDepth: max(int(at.MaxRequestDTOS), 1), RecvDepth: max(int(at.MaxRecvDTOS), 1),
		SendSegments: max(int(at.MaxRequestIOV), int(at.MaxRDMAReadIOV), int(at.MaxRDMAWriteIOV), 1),
		RecvSegments: max(int(at.MaxRecvIOV), 1),
		ReadsIn:      none(at.MaxRDMAReadIn), ReadsOut: none(at.MaxRDMAReadOut),
		SolicitedOnly: at.RecvCompletionFlags&CompletionSolicitedWaitFlag != 0,
	}
	if p.pz != nil {
		cfg.Zone = p.pz.zone
	}
	if p.srq != nil {
		cfg.SharedReceives = p.srq.q
	}
	if p.connect != nil {
		cfg.ConnEvents = p.connect.conns
	}
	cfg.RecvCQ, cfg.SendCQ = a.queueOf(p.recv), a.queueOf(p.request)
	if p.bind != nil && p.bind != p.request {
		cfg.BindCQ = p.bind.cq
	}
	return cfg
}

func (a *ia) queueOf(d *evd) *rdma.CompletionQueue {
	if d != nil {
		return d.cq
	}
	return a.nowhere()
}

// end takes the endpoint down.
func (e *ep) end() Return {
	e.mu.Lock()
	return e.finish()
}

// finish is end for a caller that holds e.mu, which it unlocks.
func (e *ep) finish() Return {
	if e.freed {
		e.mu.Unlock()
		return badEP
	}
	e.freed = true
	roles, request, bind, shared := e.roles, e.parts.request, e.parts.bind, e.parts.srq
	e.mu.Unlock()
	if shared != nil {
		shared.former.add(e.handle)
		defer shared.closed(e.handle)
	}
	eps.Remove(e.handle)
	e.ia.forget(e.handle)
	e.native.Close()
	// Places that completions may still name stay.
	if e.left.none() || e.ia.settleRequests(request) && bind.settle() {
		e.left.freeAll(&e.ia.cookies)
	}
	replaceRoles(roles, nil)
	return Success
}
