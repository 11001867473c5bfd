package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/godapl/godapl/compat/dat"
)

//export goEPConnect
func goEPConnect(ep C.uint64_t, address *C.struct_sockaddr, qual C.uint64_t, timeout C.uint, size C.int32_t, data unsafe.Pointer, qos, flags C.uint) C.uint {
	to := addressAt(address)
	if address != nil && to == nil {
		return code(dat.ClassError | dat.InvalidAddress | dat.InvalidAddressUnsupported)
	}
	return code(dat.EPConnect(dat.EPHandle(ep), to, dat.ConnQual(qual), dat.Timeout(timeout), dat.Count(size), bytesAt(data, int(size)),
		dat.QOS(qos), dat.ConnectFlags(flags)))
}

//export goEPDupConnect
func goEPDupConnect(ep, dup C.uint64_t, timeout C.uint, size C.int32_t, data unsafe.Pointer, qos C.uint) C.uint {
	return code(dat.EPDupConnect(dat.EPHandle(ep), dat.EPHandle(dup), dat.Timeout(timeout), dat.Count(size), bytesAt(data, int(size)), dat.QOS(qos)))
}

//export goEPCommonConnect
func goEPCommonConnect(ep C.uint64_t, address *C.struct_sockaddr, timeout C.uint, size C.int32_t, data unsafe.Pointer) C.uint {
	to := addressAt(address)
	if address != nil && to == nil {
		return code(dat.ClassError | dat.InvalidAddress | dat.InvalidAddressUnsupported)
	}
	return code(dat.EPCommonConnect(dat.EPHandle(ep), to, dat.Timeout(timeout), dat.Count(size), bytesAt(data, int(size))))
}

//export goEPDisconnect
func goEPDisconnect(ep C.uint64_t, flags C.uint) C.uint {
	return code(dat.EPDisconnect(dat.EPHandle(ep), dat.CloseFlags(flags)))
}

//export goCRQuery
func goCRQuery(cr C.uint64_t, c *C.dg_handle, mask C.uint, to *C.dg_cr_param) C.uint {
	var p dat.CRParam
	if ret := dat.CRQuery(dat.CRHandle(cr), dat.CRParamMask(mask), outOf(&p, to)); ret != dat.Success {
		return code(ret)
	}
	*to = C.dg_cr_param{remote_port_qual: C.uint64_t(p.RemotePortQual), local_ep_handle: pointer(handleOf(adapterWith(cr), p.LocalEPHandle))}
	if x := extra[C.dg_connection_extra](c); x != nil {
		putAddress(&x.remote, p.RemoteIAAddressPtr, p.RemotePortQual)
		to.remote_ia_address_ptr = as[C.struct_sockaddr](&x.remote)
		to.private_data, to.private_data_size = keep(x, p.PrivateData)
	}
	return 0
}

//export goCRAccept
func goCRAccept(cr, ep C.uint64_t, size C.int32_t, data unsafe.Pointer) C.uint {
	h := dat.CRHandle(cr)
	return dropIf(dat.CRAccept(h, dat.EPHandle(ep), dat.Count(size), bytesAt(data, int(size))), h)
}

//export goCRReject
func goCRReject(cr C.uint64_t, size C.int32_t, data unsafe.Pointer) C.uint {
	h := dat.CRHandle(cr)
	return dismissed(cr, func() dat.Return { return dat.CRReject20(h, dat.Count(size), bytesAt(data, int(size))) })
}

//export goCRHandoff
func goCRHandoff(cr, qual C.uint64_t) C.uint {
	h := dat.CRHandle(cr)
	return dismissed(cr, func() dat.Return { return dat.CRHandoff(h, dat.ConnQual(qual)) })
}

// dismissed ends a request without a connection. An endpoint that package dat had made for it
// ends, too, and so does its handle, which a query may have made.
func dismissed(cr C.uint64_t, do func() dat.Return) C.uint {
	h := dat.CRHandle(cr)
	var p dat.CRParam
	dat.CRQuery(h, dat.CRFieldAll, &p) // an error: do returns it
	ret := do()
	if ret == dat.Success && dat.EPGetStatus(p.LocalEPHandle, new(dat.EPState), nil, nil).Type() == dat.InvalidHandle {
		drop(p.LocalEPHandle)
	}
	return dropIf(ret, h)
}
