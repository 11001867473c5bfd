package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/godapl/godapl/compat/dat"
)

//export goPZCreate
func goPZCreate(ia C.uint64_t, pz *unsafe.Pointer) C.uint {
	var h dat.PZHandle
	ret := dat.PZCreate(dat.IAHandle(ia), outOf(&h, pz))
	return created(adapterOf(ia), ret, h, dat.PZFree, pz)
}

//export goPZQuery
func goPZQuery(pz C.uint64_t, mask C.uint, to *C.dg_pz_param) C.uint {
	var p dat.PZParam
	ret := dat.PZQuery(dat.PZHandle(pz), dat.PZParamMask(mask), outOf(&p, to))
	if ret == dat.Success {
		to.ia_handle = iaNumber(p.IAHandle)
	}
	return code(ret)
}

//export goPZFree
func goPZFree(pz C.uint64_t) C.uint {
	h := dat.PZHandle(pz)
	return dropIf(dat.PZFree(h), h)
}

//export goSRQCreate
func goSRQCreate(ia, pz C.uint64_t, attr *C.dg_srq_attr, srq *unsafe.Pointer) C.uint {
	var h dat.SRQHandle
	var at dat.SRQAttr
	if attr != nil {
		at = dat.SRQAttr{MaxRecvDTOS: dat.Count(attr.max_recv_dtos), MaxRecvIOV: dat.Count(attr.max_recv_iov), LowWatermark: dat.Count(attr.low_watermark)}
	}
	ret := dat.SRQCreate(dat.IAHandle(ia), dat.PZHandle(pz), outOf(&at, attr), outOf(&h, srq))
	return created(adapterOf(ia), ret, h, dat.SRQFree, srq)
}

//export goSRQQuery
func goSRQQuery(srq C.uint64_t, mask C.uint, to *C.dg_srq_param) C.uint {
	recall(srq)
	var p dat.SRQParam
	if ret := dat.SRQQuery(dat.SRQHandle(srq), dat.SRQParamMask(mask), outOf(&p, to)); ret != dat.Success {
		return code(ret)
	}
	state := C.uint32_t(p.SRQState)
	if state <= 1 {
		state = 1 - state // 2.0 has ERROR first
	}
	*to = C.dg_srq_param{ia_handle: iaNumber(p.IAHandle), srq_state: state, pz_handle: pointer(find(dat.Handle(p.PZHandle))),
		max_recv_dtos: C.int32_t(p.MaxRecvDTOS), max_recv_iov: C.int32_t(p.MaxRecvIOV), low_watermark: C.int32_t(p.LowWatermark),
		available_dto_count: C.int32_t(p.AvailableDTOCount), outstanding_dto_count: C.int32_t(p.OutstandingDTOCount)}
	return 0
}

//export goSRQResize
func goSRQResize(srq C.uint64_t, n C.int32_t) C.uint {
	recall(srq)
	return code(dat.SRQResize(dat.SRQHandle(srq), dat.Count(n)))
}

//export goSRQSetLW
func goSRQSetLW(srq C.uint64_t, n C.int32_t) C.uint {
	return code(dat.SRQSetLW(dat.SRQHandle(srq), dat.Count(n)))
}

//export goSRQFree
func goSRQFree(srq C.uint64_t) C.uint {
	h := dat.SRQHandle(srq)
	return dropIf(dat.SRQFree(h), h)
}
