package dat

import "github.com/godapl/godapl/rdma"

// pz is a protection zone.
type pz struct {
	object
	zone *rdma.Zone
}

var badPZ = failure(InvalidHandle, InvalidHandlePZ)

func (a *ia) getPZ(h PZHandle) *pz {
	z := pzs.Get(Handle(h))
	if z == nil || z.ia != a {
		return nil
	}
	return z
}

// PZCreate makes a protection zone (dat_pz_create).
func PZCreate(iaHandle IAHandle, pzHandle *PZHandle) Return {
	a := getIA(iaHandle)
	if a == nil {
		return badIA
	}
	if pzHandle == nil {
		return badArg(2)
	}
	zone, err := a.adapter.NewZone()
	if err != nil {
		return result(err, ResourceProtectionDomain, InvalidHandleIA)
	}
	z := &pz{zone: zone}
	z.ia, z.handle = a, pzs.Reserve()
	pzs.Put(z.handle, z)
	if !a.add(z.handle, func() { pzs.Remove(z.handle) }) {
		pzs.Remove(z.handle)
		return badIA
	}
	*pzHandle = PZHandle(z.handle)
	return Success
}

// PZQuery returns the adapter of a zone (dat_pz_query).
func PZQuery(pzHandle PZHandle, pzParamMask PZParamMask, pzParam *PZParam) Return {
	z := pzs.Get(Handle(pzHandle))
	switch {
	case z == nil:
		return badPZ
	case pzParamMask&^PZFieldAll != 0:
		return badArg(2)
	case pzParam == nil:
		return badArg(3)
	}
	*pzParam = PZParam{IAHandle(z.ia.handle)}
	return Success
}

// PZFree frees a zone (dat_pz_free). [InvalidState] while endpoints, regions, windows
// or shared receive queues belong to it.
func PZFree(pzHandle PZHandle) Return {
	z := pzs.Get(Handle(pzHandle))
	if z == nil {
		return badPZ
	}
	if err := z.zone.Close(); err != nil {
		return result(err, InvalidStatePZInUse, InvalidHandlePZ)
	}
	if !pzs.Remove(z.handle) {
		return badPZ
	}
	z.ia.forget(z.handle)
	return Success
}
