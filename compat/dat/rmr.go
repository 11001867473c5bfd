package dat

import (
	"sync"

	"github.com/godapl/godapl/internal/udapl"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// rmr is a memory window.
type rmr struct {
	object
	pz     *pz
	window *mem.Window

	mu     sync.Mutex // one bind at a time
	latest *binding   // that was posted and has not failed; nil: never bound. Guarded by ia.mu
}

var badRMR = failure(InvalidHandle, InvalidHandleRMR)

// RMRCreate makes an unbound window whose keys are good on every endpoint of the
// zone (dat_rmr_create).
func RMRCreate(pzHandle PZHandle, rmrHandle *RMRHandle) Return {
	return newRMR(pzHandle, mem.ZoneWindow, rmrHandle)
}

// RMRCreateForEP makes a window whose keys are valid on the endpoint that it is bound
// through, and which that endpoint's peer may revoke (dat_rmr_create_for_ep, 2.0).
func RMRCreateForEP(pzHandle PZHandle, rmrHandle *RMRHandle) Return {
	return newRMR(pzHandle, mem.EndpointWindow, rmrHandle)
}

func newRMR(pzHandle PZHandle, kind mem.WindowKind, out *RMRHandle) Return {
	z := pzs.Get(Handle(pzHandle))
	if z == nil {
		return badPZ
	}
	if out == nil {
		return badArg(2)
	}
	w, err := z.zone.NewWindow(kind)
	if err != nil {
		return result(err, ResourceMemoryRegion, InvalidHandlePZ)
	}
	r := &rmr{pz: z, window: w}
	r.ia, r.handle = z.ia, rmrs.Reserve()
	rmrs.Put(r.handle, r)
	if !r.ia.add(r.handle, func() { rmrs.Remove(r.handle) }) {
		rmrs.Remove(r.handle)
		w.Free()
		return badPZ
	}
	*out = RMRHandle(r.handle)
	return Success
}

// RMRQuery returns the range that a window is bound to (dat_rmr_query): that of the latest bind, from its post on.
// When the event of a bind says that it failed or was flushed, the window is bound as it was before that.
func RMRQuery(rmrHandle RMRHandle, rmrParamMask RMRParamMask, rmrParam *RMRParam) Return {
	r := rmrs.Get(Handle(rmrHandle))
	switch {
	case r == nil:
		return badRMR
	case rmrParamMask&^(RMRFieldAll|RMRFieldRMRScope|RMRFieldVAType) != 0:
		return badArg(2)
	case rmrParam == nil:
		return badArg(3)
	}
	*rmrParam = RMRParam{IAHandle: IAHandle(r.ia.handle), PZHandle: PZHandle(r.pz.handle), RMRScope: RMRScopePZ, VAType: VATypeVA}
	r.ia.mu.Lock()
	defer r.ia.mu.Unlock()
	if b := r.latest; b != nil && b.key != 0 {
		rmrParam.LMRTriplet, rmrParam.MemPriv, rmrParam.RMRContext = b.triplet, b.priv, b.key
	}
	if r.window.Kind() == mem.EndpointWindow {
		rmrParam.RMRScope = RMRScopeEP
	}
	return Success
}

// RMRBind binds a window to a range of registered memory through an endpoint
// (dat_rmr_bind, 1.x), which replaces an earlier bind; a triplet of length 0 unbinds.
// It writes the new key to *rmrContext, which may be nil, at once: peers may use the
// key when the bind has completed, and a later send on this endpoint may carry it. Only
// the remote rights count; the region needs the corresponding local rights. The event
// is RMR_BIND_COMPLETION on the request dispatcher. RMRBind allocates a little.
func RMRBind(rmrHandle RMRHandle, lmrTriplet *LMRTriplet, memPrivileges MemPrivFlags, epHandle EPHandle, userCookie RMRCookie, completionFlags CompletionFlags, rmrContext *RMRContext) Return {
	return bind(bindCall{rmrHandle, nil, lmrTriplet, memPrivileges, VATypeVA, epHandle, userCookie, completionFlags, rmrContext, 2, 3, 6})
}

// RMRBind20 is RMRBind as 2.0 has it, with the region's handle and the type of
// addresses, which has to be [VATypeVA].
func RMRBind20(rmrHandle RMRHandle, lmrHandle LMRHandle, lmrTriplet *LMRTriplet, memPrivileges MemPrivFlags, vaType VAType, epHandle EPHandle, userCookie RMRCookie, completionFlags CompletionFlags, rmrContext *RMRContext) Return {
	return bind(bindCall{rmrHandle, &lmrHandle, lmrTriplet, memPrivileges, vaType, epHandle, userCookie, completionFlags, rmrContext, 3, 4, 8})
}

// bindCall is the arguments of a bind, with the positions of some of them.
type bindCall struct {
	rmr                          RMRHandle
	lmr                          *LMRHandle // nil: the triplet alone names the region
	triplet                      *LMRTriplet
	priv                         MemPrivFlags
	va                           VAType
	ep                           EPHandle
	cookie                       RMRCookie
	flags                        CompletionFlags
	out                          *RMRContext
	tripletArg, privArg, flagArg int
}

func bind(b bindCall) Return {
	r := rmrs.Get(Handle(b.rmr))
	if r == nil {
		return badRMR
	}
	e := r.ia.getEP(b.ep)
	if e == nil {
		return badEP
	}
	var l *lmr
	if b.lmr != nil && b.triplet != nil && b.triplet.SegmentLength > 0 {
		if l = lmrs.Get(Handle(*b.lmr)); l == nil || l.ia != r.ia {
			return badLMR
		}
	}
	rules := e.rules.Load()
	switch {
	case b.va == VATypeZB:
		return failure(ModelNotSupported, NoSubtype)
	case b.va != VATypeVA:
		return badArg(5)
	case b.triplet == nil, l != nil && l.key != b.triplet.LMRContext:
		return badArg(b.tripletArg)
	case b.priv&^allPrivileges != 0:
		return badArg(b.privArg)
	case b.flags&^rdmaFlags != 0, b.flags&CompletionUnsignalledFlag != 0 && !rules.requestUnsignalled:
		return badArg(b.flagArg)
	}
	var to mem.Slice
	if b.triplet.SegmentLength > 0 {
		var ok bool
		if to, ok = r.ia.slice(b.triplet); !ok {
			if r.ia.keys.get(b.triplet.LMRContext) == nil {
				return failure(PrivilegesViolation, NoSubtype)
			}
			return badArg(b.tripletArg)
		}
	}
	if rules.requestDTOs == 0 {
		return failure(InsufficientResources, NoSubtype)
	}
	return r.bind(e, &b, to)
}

func (r *rmr) bind(e *ep, call *bindCall, to mem.Slice) Return {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, b := post{e: e, flags: call.flags}, &binding{rmr: r, cookie: call.cookie, region: to, triplet: *call.triplet, priv: call.priv}
	remote, err := e.native.PostBind(rdma.Bind{Window: r.window, To: to, Rights: mem.Rights(call.priv & remotePrivileges),
		Cookie: p.cookie(Context{AsPtr: b}), Flags: nativeFlags[call.flags] | rdma.Flags(udapl.ClosedBind)})
	if ret := p.posted(err, call.lacking(to), ProtectionRDMAWrite); ret != Success {
		if ret.Type() == InvalidHandle && rmrs.Get(r.handle) == nil {
			return badRMR
		}
		return ret
	}
	key := RMRContext(remote.Key) // 0: an unbind
	b.posted(key)
	if call.out != nil {
		*call.out = key
	}
	return Success
}

// lacking is the right that a region without the rights for a bind lacks: each right of peers wants the same one of this
// side.
func (b *bindCall) lacking(to mem.Slice) Return {
	if r := to.Region(); r != nil && b.priv&MemPrivRemoteReadFlag != 0 && r.Rights()&mem.LocalRead == 0 {
		return PrivilegesRead
	}
	return PrivilegesWrite
}

// RMRFree frees a window, bound or not (dat_rmr_free); when it returns, the window's
// key is revoked. A bind that is still queued fails then, which breaks the connection; its
// event names the freed window.
func RMRFree(rmrHandle RMRHandle) Return {
	r := rmrs.Get(Handle(rmrHandle))
	if r == nil || !rmrs.Remove(r.handle) {
		return badRMR
	}
	r.ia.forget(r.handle)
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.window.Free()
	r.unbound()
	return result(err)
}
