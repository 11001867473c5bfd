package main

// #include "shim.h"
import "C"

import (
	"slices"
	"unsafe"

	"github.com/godapl/godapl/compat/dat"
)

// maxInt bounds the length of a slice.
const maxInt = 1<<63 - 1

//export goLMRCreate
func goLMRCreate(ia C.uint64_t, typ C.uint, region *C.dg_region_description, length, pz C.uint64_t, priv, vaType C.uint, lmr *unsafe.Pointer, lmrContext, rmrContext *C.uint32_t, size, address *C.uint64_t) C.uint {
	a := adapterOf(ia)
	switch {
	case a == nil:
		return code(invalidHandle | dat.InvalidHandleIA)
	case adapterWith(pz) != a || dat.PZQuery(dat.PZHandle(pz), dat.PZFieldAll, new(dat.PZParam)) != dat.Success:
		return code(invalidHandle | dat.InvalidHandlePZ)
	case lmr == nil:
		return code(badArg(8))
	}
	var d dat.RegionDescription
	var cookie dat.LMRCookie
	switch dat.MemType(typ) {
	case dat.MemTypeVirtual, dat.MemTypeSharedVirtual:
		shared := as[C.dg_shared_memory](region) // the address is first in both
		if length == 0 || length > maxInt {
			return code(dat.ClassError | dat.LengthError)
		}
		writes := dat.MemPrivFlags(priv)&(dat.MemPrivWriteFlag|dat.IBMemPrivRemoteAtomic) != 0
		if !mapped(shared.virtual_address, length, writes) {
			return code(badArg(3))
		}
		d.ForVA = bytesAt(checked(shared.virtual_address), int(length))
		if dat.MemType(typ) == dat.MemTypeSharedVirtual {
			if shared.shared_memory_id == nil {
				return code(badArg(3))
			}
			copy(cookie[:], bytesAt(unsafe.Pointer(shared.shared_memory_id), len(cookie)))
			d.ForSharedMemory = dat.SharedMemory{VirtualAddress: d.ForVA, SharedMemoryID: &cookie}
		}
	case dat.MemTypeSOVirtual:
		return code(badArg(2)) // 2.0 has no such type
	case dat.MemTypeLMR:
		d.ForLMRHandle = dat.LMRHandle(C.dg_number(*as[C.uintptr_t](region)))
	}
	var h dat.LMRHandle
	var lc dat.LMRContext
	var rc dat.RMRContext
	var got dat.Vlen
	var at dat.Vaddr
	ret := dat.LMRCreate20(dat.IAHandle(ia), dat.MemType(typ), d, dat.Vlen(length), dat.PZHandle(pz), privileges(priv), dat.VAType(vaType), &h, &lc, &rc, &got, &at)
	if ret != dat.Success {
		return code(ret)
	}
	c, ret := give(a, h, dat.LMRFree)
	if ret != dat.Success {
		return code(ret)
	}
	if x := extra[C.dg_lmr_extra](c); x != nil {
		x.region = *region
		if dat.MemType(typ) == dat.MemTypeSharedVirtual {
			copy(bytesAt(unsafe.Pointer(&x.cookie), len(cookie)), cookie[:])
			as[C.dg_shared_memory](&x.region).shared_memory_id = &x.cookie
		}
	}
	putPointer(lmr, c)
	put(lmrContext, C.uint32_t(lc))
	put(rmrContext, C.uint32_t(rc))
	put(size, C.uint64_t(got))
	put(address, C.uint64_t(at))
	return 0
}

// mapped reports whether memory is mapped, so that a wrong address is an error of this
// call and does not end the process later.
func mapped(p C.uintptr_t, n C.uint64_t, writes bool) bool {
	w := C.int(0)
	if writes {
		w = 1
	}
	return p != 0 && C.dg_mapped(p, n, w) != 0
}

// privileges converts rights to those of package dat. Programs send from memory that they
// have registered for writing alone, as verbs allows, so writing includes reading here.
func privileges(p C.uint) dat.MemPrivFlags {
	f := dat.MemPrivFlags(p)
	if f&dat.MemPrivLocalWriteFlag != 0 {
		f |= dat.MemPrivLocalReadFlag
	}
	return f
}

//export goLMRQuery
func goLMRQuery(lmr C.uint64_t, c *C.dg_handle, mask C.uint, to *C.dg_lmr_param) C.uint {
	const fields = 0x7FF
	var p dat.LMRParam
	if ret := dat.LMRQuery(dat.LMRHandle(lmr), allOf(dat.LMRFieldAll, mask&^fields), outOf(&p, to)); ret != dat.Success {
		return code(ret)
	}
	*to = C.dg_lmr_param{ia_handle: iaNumber(p.IAHandle), mem_type: C.uint32_t(p.MemType), length: C.uint64_t(p.Length),
		pz_handle: pointer(find(dat.Handle(p.PZHandle))), mem_priv: C.uint32_t(p.MemPriv), va_type: C.uint32_t(p.VAType),
		lmr_context: C.uint32_t(p.LMRContext), rmr_context: C.uint32_t(p.RMRContext),
		registered_size: C.uint64_t(p.RegisteredSize), registered_address: C.uint64_t(p.RegisteredAddress)}
	if x := extra[C.dg_lmr_extra](c); x != nil {
		to.region_desc = x.region
	}
	return 0
}

//export goLMRFree
func goLMRFree(lmr C.uint64_t) C.uint {
	h := dat.LMRHandle(lmr)
	return dropIf(dat.LMRFree(h), h)
}

//export goLMRSync
func goLMRSync(ia C.uint64_t, all *C.dg_lmr_triplet, n C.uint64_t) C.uint {
	h := dat.IAHandle(ia)
	if n == 0 || !readable(all, n) {
		return code(dat.LMRSyncRDMARead(h, nil, dat.Vlen(n)))
	}
	for some := range slices.Chunk(sliceAt(all, int(n)), mostSegments) {
		var s segments
		if ret := dat.LMRSyncRDMARead(h, s.of(&some[0], C.int32_t(len(some))), dat.Vlen(len(some))); ret != dat.Success {
			return code(ret)
		}
	}
	return 0
}

//export goRMRCreate
func goRMRCreate(pz C.uint64_t, rmr *unsafe.Pointer) C.uint {
	var h dat.RMRHandle
	ret := dat.RMRCreate(dat.PZHandle(pz), outOf(&h, rmr))
	return created(adapterWith(pz), ret, h, dat.RMRFree, rmr)
}

//export goRMRCreateForEP
func goRMRCreateForEP(pz C.uint64_t, rmr *unsafe.Pointer) C.uint {
	var h dat.RMRHandle
	ret := dat.RMRCreateForEP(dat.PZHandle(pz), outOf(&h, rmr))
	return created(adapterWith(pz), ret, h, dat.RMRFree, rmr)
}

//export goRMRQuery
func goRMRQuery(rmr C.uint64_t, mask C.uint, to *C.dg_rmr_param) C.uint {
	var p dat.RMRParam
	if ret := dat.RMRQuery(dat.RMRHandle(rmr), dat.RMRParamMask(mask), outOf(&p, to)); ret != dat.Success {
		return code(ret)
	}
	*to = C.dg_rmr_param{ia_handle: iaNumber(p.IAHandle), pz_handle: pointer(find(dat.Handle(p.PZHandle))),
		lmr_triplet: C.dg_lmr_triplet{virtual_address: C.uint64_t(p.LMRTriplet.VirtualAddress),
			segment_length: word32(p.LMRTriplet.SegmentLength), lmr_context: C.uint32_t(p.LMRTriplet.LMRContext)},
		mem_priv: C.uint32_t(p.MemPriv), rmr_context: C.uint32_t(p.RMRContext), rmr_scope: C.uint32_t(p.RMRScope), va_type: C.uint32_t(p.VAType)}
	return 0
}

//export goRMRBind
func goRMRBind(rmr, lmr C.uint64_t, to *C.dg_lmr_triplet, priv, vaType C.uint, ep C.uint64_t, slot C.uint32_t, cookie C.uint64_t, flags C.uint, context *C.uint32_t) C.uint {
	t := triplet(to)
	var key dat.RMRContext
	ret := dat.RMRBind20(dat.RMRHandle(rmr), dat.LMRHandle(lmr), outOf(&t, to), dat.MemPrivFlags(priv), dat.VAType(vaType), dat.EPHandle(ep), number(cookie),
		dat.CompletionFlags(flags), &key)
	if ret == dat.Success {
		put(context, C.uint32_t(key))
	}
	return posted(ret, slot)
}

//export goRMRFree
func goRMRFree(rmr C.uint64_t) C.uint {
	h := dat.RMRHandle(rmr)
	return dropIf(dat.RMRFree(h), h)
}
