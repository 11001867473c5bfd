package main

// #include "shim.h"
import "C"

import (
	"sync"
	"unsafe"

	"github.com/godapl/godapl/compat/dat"
)

// beginning is held for reading while a service point is made: a request may arrive, and its event be taken, before the
// service point has its handle.
var beginning sync.RWMutex

// servicePoint returns the C handle of a service point, or nil if it was freed.
func servicePoint(n dat.Handle) *C.dg_handle {
	if c := find(n); c != nil {
		return c
	}
	beginning.Lock() // waits until those that are being made have their handles
	defer beginning.Unlock()
	return find(n)
}

//export goPSPCreate
func goPSPCreate(ia, qual, evd C.uint64_t, flags C.uint, psp *unsafe.Pointer) C.uint {
	beginning.RLock()
	defer beginning.RUnlock()
	var h dat.PSPHandle
	ret := dat.PSPCreate(dat.IAHandle(ia), dat.ConnQual(qual), dat.EVDHandle(evd), dat.PSPFlags(flags), outOf(&h, psp))
	return created(adapterOf(ia), ret, h, dat.PSPFree, psp)
}

//export goPSPCreateAny
func goPSPCreateAny(ia C.uint64_t, qual *C.uint64_t, evd C.uint64_t, flags C.uint, psp *unsafe.Pointer) C.uint {
	beginning.RLock()
	defer beginning.RUnlock()
	var h dat.PSPHandle
	var q dat.ConnQual
	ret := dat.PSPCreateAny(dat.IAHandle(ia), outOf(&q, qual), dat.EVDHandle(evd), dat.PSPFlags(flags), outOf(&h, psp))
	if ret == dat.Success {
		*qual = C.uint64_t(q)
	}
	return created(adapterOf(ia), ret, h, dat.PSPFree, psp)
}

//export goPSPQuery
func goPSPQuery(psp C.uint64_t, mask C.uint, to *C.dg_psp_param) C.uint {
	var p dat.PSPParam
	if ret := dat.PSPQuery(dat.PSPHandle(psp), dat.PSPParamMask(mask), outOf(&p, to)); ret != dat.Success {
		return code(ret)
	}
	*to = C.dg_psp_param{ia_handle: iaNumber(p.IAHandle), conn_qual: C.uint64_t(p.ConnQual),
		evd_handle: pointer(find(dat.Handle(p.EVDHandle))), psp_flags: C.uint32_t(p.PSPFlags)}
	return 0
}

//export goPSPFree
func goPSPFree(psp C.uint64_t) C.uint {
	h := dat.PSPHandle(psp)
	return dropIf(dat.PSPFree(h), h)
}

//export goRSPCreate
func goRSPCreate(ia, qual, ep, evd C.uint64_t, rsp *unsafe.Pointer) C.uint {
	beginning.RLock()
	defer beginning.RUnlock()
	var h dat.RSPHandle
	ret := dat.RSPCreate(dat.IAHandle(ia), dat.ConnQual(qual), dat.EPHandle(ep), dat.EVDHandle(evd), outOf(&h, rsp))
	return created(adapterOf(ia), ret, h, dat.RSPFree, rsp)
}

//export goRSPQuery
func goRSPQuery(rsp C.uint64_t, mask C.uint, to *C.dg_rsp_param) C.uint {
	var p dat.RSPParam
	if ret := dat.RSPQuery(dat.RSPHandle(rsp), dat.RSPParamMask(mask), outOf(&p, to)); ret != dat.Success {
		return code(ret)
	}
	*to = C.dg_rsp_param{ia_handle: iaNumber(p.IAHandle), conn_qual: C.uint64_t(p.ConnQual),
		evd_handle: pointer(find(dat.Handle(p.EVDHandle))), ep_handle: pointer(find(dat.Handle(p.EPHandle)))}
	return 0
}

//export goRSPFree
func goRSPFree(rsp C.uint64_t) C.uint {
	h := dat.RSPHandle(rsp)
	return dropIf(dat.RSPFree(h), h)
}

//export goCSPCreate
func goCSPCreate(ia C.uint64_t, comm *C.dg_comm, address *C.struct_sockaddr, evd C.uint64_t, csp *unsafe.Pointer) C.uint {
	beginning.RLock()
	defer beginning.RUnlock()
	var h dat.CSPHandle
	var c dat.Comm
	if comm != nil {
		c = dat.Comm{Domain: int(comm.domain), Type: int(comm._type), Protocol: int(comm.protocol)}
	}
	ret := dat.CSPCreate(dat.IAHandle(ia), outOf(&c, comm), addressAt(address), dat.EVDHandle(evd), outOf(&h, csp))
	return created(adapterOf(ia), ret, h, dat.CSPFree, csp)
}

//export goCSPQuery
func goCSPQuery(csp C.uint64_t, c *C.dg_handle, mask C.uint, to *C.dg_csp_param) C.uint {
	var p dat.CSPParam
	if ret := dat.CSPQuery(dat.CSPHandle(csp), dat.CSPParamMask(mask), outOf(&p, to)); ret != dat.Success {
		return code(ret)
	}
	*to = C.dg_csp_param{ia_handle: iaNumber(p.IAHandle), evd_handle: pointer(find(dat.Handle(p.EVDHandle)))}
	if x := extra[C.dg_csp_extra](c); x != nil {
		if p.Comm != nil {
			x.comm = C.dg_comm{domain: C.int32_t(p.Comm.Domain), _type: C.int32_t(p.Comm.Type), protocol: C.int32_t(p.Comm.Protocol)}
		}
		putAddress(&x.address, p.AddressPtr, 0)
		to.comm, to.address_ptr = &x.comm, as[C.struct_sockaddr](&x.address)
	}
	return 0
}

//export goCSPFree
func goCSPFree(csp C.uint64_t) C.uint {
	h := dat.CSPHandle(csp)
	return dropIf(dat.CSPFree(h), h)
}
