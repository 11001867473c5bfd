package dat

import (
	"runtime"
	"sync"

	"github.com/godapl/godapl/rdma/mem"
)

// lmr is registered memory.
type lmr struct {
	object
	key    LMRContext
	base   Vaddr
	size   Vlen
	region *mem.Region
	all    mem.Slice // the whole region
	param  LMRParam
	mu     sync.Mutex
}

var badLMR = failure(InvalidHandle, InvalidHandleLMR)

// Rights that programs may ask for, and those of them that are peers'.
const (
	remotePrivileges = MemPrivRemoteReadFlag | MemPrivRemoteWriteFlag | IBMemPrivRemoteAtomic
	allPrivileges    = MemPrivAllFlag | IBMemPrivRemoteAtomic | MemPrivRODisableFlag
)

// LMRCreate registers memory (dat_lmr_create, 1.1 and 1.2). memType selects the member
// of the description. *lmrContext is for triplets, *rmrContext for peers; it is 0
// without remote rights. All outputs except lmrHandle may be nil.
//
// The memory is pinned until LMRFree. A region over another one (MEM_TYPE_LMR) is
// independent of it. MEM_TYPE_SO_VIRTUAL, strongly ordered memory, is MEM_TYPE_VIRTUAL
// where the processor orders writes strongly, which is on amd64, and else
// [ModelNotSupported]. Shared memory must be shared by the platform, else
// [InvalidState]: mem.OpenShared makes such memory. All registrations with the same
// cookie must be of the same memory.
func LMRCreate(iaHandle IAHandle, memType MemType, regionDescription RegionDescription, length Vlen, pzHandle PZHandle, memPrivileges MemPrivFlags, lmrHandle *LMRHandle, lmrContext *LMRContext, rmrContext *RMRContext, registeredSize *Vlen, registeredAddress *Vaddr) Return {
	a := getIA(iaHandle)
	if a == nil {
		return badIA
	}
	z := a.getPZ(pzHandle)
	if z == nil {
		return badPZ
	}
	switch {
	case memPrivileges&^allPrivileges != 0:
		return badArg(6)
	case lmrHandle == nil:
		return badArg(7)
	}
	r, ret := z.register(memType, &regionDescription, length, mem.Rights(memPrivileges&^MemPrivRODisableFlag))
	if ret != Success {
		return ret
	}
	l := &lmr{key: LMRContext(r.Key()), base: Vaddr(r.Addr()), size: Vlen(r.Len()), region: r, all: r.All()}
	l.ia, l.handle = a, lmrs.Reserve()
	if memType == MemTypeLMR {
		length = l.size // the argument has no meaning
	}
	l.param = LMRParam{IAHandle(a.handle), memType, regionDescription, length, pzHandle, memPrivileges, VATypeVA,
		l.key, RMRContext(r.RemoteKey()), Vlen(r.Len()), l.base}
	lmrs.Put(l.handle, l)
	a.keys.put(l)
	if !a.add(l.handle, func() { lmrs.Remove(l.handle); r.Free() }) {
		lmrs.Remove(l.handle)
		r.Free()
		return badIA
	}
	*lmrHandle = LMRHandle(l.handle)
	put(lmrContext, l.key)
	put(rmrContext, l.param.RMRContext)
	put(registeredSize, l.param.RegisteredSize)
	put(registeredAddress, l.base)
	return Success
}

// put sets an output that may be nil.
func put[T any](to *T, v T) {
	if to != nil {
		*to = v
	}
}

// LMRCreate10 is LMRCreate as 1.0 has it, without the key for peers.
func LMRCreate10(iaHandle IAHandle, memType MemType, regionDescription RegionDescription, length Vlen, pzHandle PZHandle, memPrivileges MemPrivFlags, lmrHandle *LMRHandle, lmrContext *LMRContext, registeredSize *Vlen, registeredAddress *Vaddr) Return {
	return LMRCreate(iaHandle, memType, regionDescription, length, pzHandle, memPrivileges, lmrHandle, lmrContext, nil, registeredSize, registeredAddress)
}

// LMRCreate20 is LMRCreate as 2.0 has it, with the type of addresses, which has to
// be [VATypeVA]: no adapter here counts from zero.
func LMRCreate20(iaHandle IAHandle, memType MemType, regionDescription RegionDescription, length Vlen, pzHandle PZHandle, memPrivileges MemPrivFlags, vaType VAType, lmrHandle *LMRHandle, lmrContext *LMRContext, rmrContext *RMRContext, registeredSize *Vlen, registeredAddress *Vaddr) Return {
	a := getIA(iaHandle)
	switch {
	case a == nil:
		return badIA
	case a.getPZ(pzHandle) == nil:
		return badPZ
	case vaType == VATypeZB:
		return failure(ModelNotSupported, NoSubtype)
	case vaType != VATypeVA:
		return badArg(7)
	}
	ret := LMRCreate(iaHandle, memType, regionDescription, length, pzHandle, memPrivileges, lmrHandle, lmrContext, rmrContext, registeredSize, registeredAddress)
	if ret == badArg(7) {
		return badArg(8) // lmrHandle, which the type of addresses precedes here
	}
	return ret
}

// register makes the region.
func (z *pz) register(memType MemType, d *RegionDescription, length Vlen, rights mem.Rights) (*mem.Region, Return) {
	var r *mem.Region
	var err error
	switch memType {
	case MemTypeSOVirtual, MemTypeVirtual:
		if memType == MemTypeSOVirtual && !ordersStrongly(platform) {
			return nil, failure(ModelNotSupported, NoSubtype)
		}
		if ret := checkRange(d.ForVA, length); ret != Success {
			return nil, ret
		}
		r, err = z.zone.Register(d.ForVA[:length], rights)
	case MemTypeLMR:
		from := lmrs.Get(Handle(d.ForLMRHandle))
		if from == nil || from.ia != z.ia {
			return nil, badLMR
		}
		if r, err = z.zone.RegisterAgain(from.region, rights); err != nil {
			return nil, result(err, ResourceMemoryRegion, InvalidHandleLMR)
		}
	case MemTypeSharedVirtual:
		s := &d.ForSharedMemory
		if s.SharedMemoryID == nil {
			return nil, badArg(3)
		}
		if ret := checkRange(s.VirtualAddress, length); ret != Success {
			return nil, ret
		}
		r, err = z.zone.RegisterShared(s.VirtualAddress[:length], mem.SharedID(*s.SharedMemoryID), rights)
	default:
		return nil, badArg(2)
	}
	return r, result(err, ResourceMemoryRegion, InvalidArg3, InvalidHandlePZ)
}

// platform is the kind of processor. Tests change it.
var platform = runtime.GOARCH

// ordersStrongly reports whether processors of an architecture show the writes of one
// to all others in program order, and their devices' writes too unless configured
// otherwise. Strongly ordered memory promises that.
func ordersStrongly(goarch string) bool {
	switch goarch {
	case "amd64", "386", "s390x":
		return true
	}
	return false
}

func checkRange(b []byte, length Vlen) Return {
	switch {
	case b == nil:
		return badArg(3)
	case length == 0 || length > Vlen(len(b)):
		return badArg(4)
	}
	return Success
}

// LMRQuery returns how memory is registered (dat_lmr_query).
func LMRQuery(lmrHandle LMRHandle, lmrParamMask LMRParamMask, lmrParam *LMRParam) Return {
	l := lmrs.Get(Handle(lmrHandle))
	switch {
	case l == nil:
		return badLMR
	case lmrParamMask&^(LMRFieldAll|LMRFieldVAType) != 0:
		return badArg(2)
	case lmrParam == nil:
		return badArg(3)
	}
	*lmrParam = l.param
	return Success
}

// LMRFree ends a registration (dat_lmr_free). [InvalidState] while a window is bound to
// it. Posted requests that use it fail when they are executed.
func LMRFree(lmrHandle LMRHandle) Return {
	l := lmrs.Get(Handle(lmrHandle))
	if l == nil {
		return badLMR
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if lmrs.Get(l.handle) == nil {
		return badLMR
	}
	if err := l.region.Free(); err != nil {
		return result(err, InvalidStateLMRInUse)
	}
	l.ia.keys.remove(l)
	lmrs.Remove(l.handle)
	l.ia.forget(l.handle)
	return Success
}

// LMRSyncRDMARead must be called before a peer reads memory that this side has written
// (dat_lmr_sync_rdma_read, 1.2). The adapters here do not need it: it only checks its
// arguments.
func LMRSyncRDMARead(iaHandle IAHandle, localSegments []LMRTriplet, numSegments Vlen) Return {
	a := getIA(iaHandle)
	if a == nil {
		return badIA
	}
	if numSegments > Vlen(len(localSegments)) {
		return badArg(2)
	}
	for i := range localSegments[:numSegments] {
		t := &localSegments[i]
		if t.SegmentLength == 0 {
			continue
		}
		if _, ok := a.slice(t); !ok {
			return badArg(2)
		}
	}
	return Success
}

// LMRSyncRDMAWrite must be called before this side reads memory that a peer has written
// (dat_lmr_sync_rdma_write, 1.2). It only checks its arguments.
func LMRSyncRDMAWrite(iaHandle IAHandle, localSegments []LMRTriplet, numSegments Vlen) Return {
	return LMRSyncRDMARead(iaHandle, localSegments, numSegments)
}
