package dat

// Handles. Each is a number: see the package comment. A handle of any kind
// converts to [Handle].
type (
	// Handle is a handle of any kind (DAT_HANDLE).
	Handle uint64
	// IAHandle is an open adapter (DAT_IA_HANDLE).
	IAHandle uint64
	// EVDHandle is an event dispatcher (DAT_EVD_HANDLE).
	EVDHandle uint64
	// CNOHandle is a consumer notification object (DAT_CNO_HANDLE).
	CNOHandle uint64
	// PZHandle is a protection zone (DAT_PZ_HANDLE).
	PZHandle uint64
	// LMRHandle is registered memory (DAT_LMR_HANDLE).
	LMRHandle uint64
	// RMRHandle is a memory window (DAT_RMR_HANDLE).
	RMRHandle uint64
	// EPHandle is an endpoint (DAT_EP_HANDLE).
	EPHandle uint64
	// SRQHandle is a shared receive queue (DAT_SRQ_HANDLE).
	SRQHandle uint64
	// PSPHandle is a public service point (DAT_PSP_HANDLE).
	PSPHandle uint64
	// RSPHandle is a reserved service point (DAT_RSP_HANDLE).
	RSPHandle uint64
	// CSPHandle is a common service point (DAT_CSP_HANDLE). 2.0.
	CSPHandle uint64
	// CRHandle is a connection request (DAT_CR_HANDLE).
	CRHandle uint64
)

// AnyHandle is the argument of calls for all kinds of objects. int is included for
// [HandleNull].
type AnyHandle interface {
	Handle | IAHandle | EVDHandle | CNOHandle | PZHandle | LMRHandle | RMRHandle | EPHandle |
		SRQHandle | PSPHandle | RSPHandle | CSPHandle | CRHandle | IBCollectiveHandle | int
}

// The tables of all objects, one per kind.
var (
	ias  = newObjects[ia](HandleTypeIA)
	evds = newObjects[evd](HandleTypeEVD)
	cnos = newObjects[cno](HandleTypeCNO)
	pzs  = newObjects[pz](HandleTypePZ)
	lmrs = newObjects[lmr](HandleTypeLMR)
	rmrs = newObjects[rmr](HandleTypeRMR)
	eps  = newObjects[ep](HandleTypeEP)
	srqs = newObjects[srq](HandleTypeSRQ)
	psps = newObjects[sp](HandleTypePSP)
	rsps = newObjects[sp](HandleTypeRSP)
	csps = newObjects[sp](HandleTypeCSP)
	crs  = newObjects[cr](HandleTypeCR)
)

// object is common to all objects.
type object struct {
	ia      *ia
	handle  Handle
	context contextSlot
}

// find returns the common part of an object of any kind.
func find(h Handle) *object {
	switch kindOf(h) {
	case HandleTypeIA:
		return common(ias.Get(h), func(o *ia) *object { return &o.object })
	case HandleTypeEVD:
		return common(evds.Get(h), func(o *evd) *object { return &o.object })
	case HandleTypeCNO:
		return common(cnos.Get(h), func(o *cno) *object { return &o.object })
	case HandleTypePZ:
		return common(pzs.Get(h), func(o *pz) *object { return &o.object })
	case HandleTypeLMR:
		return common(lmrs.Get(h), func(o *lmr) *object { return &o.object })
	case HandleTypeRMR:
		return common(rmrs.Get(h), func(o *rmr) *object { return &o.object })
	case HandleTypeEP:
		return common(eps.Get(h), func(o *ep) *object { return &o.object })
	case HandleTypeSRQ:
		return common(srqs.Get(h), func(o *srq) *object { return &o.object })
	case HandleTypePSP:
		return common(psps.Get(h), func(o *sp) *object { return &o.object })
	case HandleTypeRSP:
		return common(rsps.Get(h), func(o *sp) *object { return &o.object })
	case HandleTypeCSP:
		return common(csps.Get(h), func(o *sp) *object { return &o.object })
	case HandleTypeCR:
		return common(crs.Get(h), func(o *cr) *object { return &o.object })
	}
	return nil
}

func common[T any](p *T, of func(*T) *object) *object {
	if p == nil {
		return nil
	}
	return of(p)
}
