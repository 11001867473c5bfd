package main

// #include "shim.h"
import "C"

import (
	"cmp"
	"unsafe"

	"github.com/godapl/godapl/compat/dat"
)

// epAttr converts the attributes of an endpoint; nil, the defaults, for NULL. Programs
// written for tolerant providers send more than the sizes that they have declared, so
// the adapter's maximum is used for these. They leave the segments of reads and writes
// 0, which then means as many as for sends. A watermark of 0 means none.
func (a *adapter) epAttr(f *C.dg_ep_attr) *dat.EPAttr {
	if f == nil {
		return nil
	}
	at := &dat.EPAttr{
		ServiceType: dat.ServiceType(f.service_type), MaxMessageSize: dat.Vlen(f.max_message_size), MaxRDMASize: dat.Vlen(f.max_rdma_size),
		QOS: dat.QOS(f.qos), RecvCompletionFlags: dat.CompletionFlags(f.recv_completion_flags),
		RequestCompletionFlags: dat.CompletionFlags(f.request_completion_flags),
		MaxRecvDTOS:            dat.Count(f.max_recv_dtos), MaxRequestDTOS: dat.Count(f.max_request_dtos),
		MaxRecvIOV: dat.Count(f.max_recv_iov), MaxRequestIOV: dat.Count(f.max_request_iov),
		MaxRDMAReadIn: dat.Count(f.max_rdma_read_in), MaxRDMAReadOut: dat.Count(f.max_rdma_read_out),
		SRQSoftHW: dat.Count(f.srq_soft_hw), MaxRDMAReadIOV: dat.Count(f.max_rdma_read_iov), MaxRDMAWriteIOV: dat.Count(f.max_rdma_write_iov),
		EPTransportSpecificCount: dat.Count(f.ep_transport_specific_count), EPProviderSpecificCount: dat.Count(f.ep_provider_specific_count),
	}
	at.MaxRDMAReadIOV, at.MaxRDMAWriteIOV = cmp.Or(at.MaxRDMAReadIOV, at.MaxRequestIOV), cmp.Or(at.MaxRDMAWriteIOV, at.MaxRequestIOV)
	if at.SRQSoftHW == 0 {
		at.SRQSoftHW = dat.HWDefault
	}
	if a != nil {
		at.MaxMessageSize = max(at.MaxMessageSize, a.attr.MaxMessageSize)
		at.MaxRDMASize = max(at.MaxRDMASize, a.attr.MaxRDMASize)
	}
	return at
}

func cEPAttr(f *dat.EPAttr) C.dg_ep_attr {
	return C.dg_ep_attr{
		service_type: C.uint32_t(f.ServiceType), max_message_size: word32(f.MaxMessageSize), max_rdma_size: word32(f.MaxRDMASize),
		qos: C.uint32_t(f.QOS), recv_completion_flags: C.uint32_t(f.RecvCompletionFlags),
		request_completion_flags: C.uint32_t(f.RequestCompletionFlags),
		max_recv_dtos:            C.int32_t(f.MaxRecvDTOS), max_request_dtos: C.int32_t(f.MaxRequestDTOS),
		max_recv_iov: C.int32_t(f.MaxRecvIOV), max_request_iov: C.int32_t(f.MaxRequestIOV),
		max_rdma_read_in: C.int32_t(f.MaxRDMAReadIn), max_rdma_read_out: C.int32_t(f.MaxRDMAReadOut),
		srq_soft_hw: C.int32_t(f.SRQSoftHW), max_rdma_read_iov: C.int32_t(f.MaxRDMAReadIOV), max_rdma_write_iov: C.int32_t(f.MaxRDMAWriteIOV),
	}
}

//export goEPCreate
func goEPCreate(ia, pz, recv, request, connect C.uint64_t, attr *C.dg_ep_attr, ep *unsafe.Pointer) C.uint {
	a := adapterOf(ia)
	var h dat.EPHandle
	ret := dat.EPCreate(dat.IAHandle(ia), dat.PZHandle(pz), dat.EVDHandle(recv), dat.EVDHandle(request), dat.EVDHandle(connect), a.epAttr(attr), outOf(&h, ep))
	return createdEP(a, ret, h, request, ep)
}

//export goEPCreateWithSRQ
func goEPCreateWithSRQ(ia, pz, recv, request, connect, srq C.uint64_t, attr *C.dg_ep_attr, ep *unsafe.Pointer) C.uint {
	a := adapterOf(ia)
	var h dat.EPHandle
	ret := dat.EPCreateWithSRQ(dat.IAHandle(ia), dat.PZHandle(pz), dat.EVDHandle(recv), dat.EVDHandle(request), dat.EVDHandle(connect),
		dat.SRQHandle(srq), a.epAttr(attr), outOf(&h, ep))
	return createdEP(a, ret, h, request, ep)
}

// createdEP is created for an endpoint: it also sets the inbox of its requests.
func createdEP(a *adapter, ret dat.Return, h dat.EPHandle, request C.uint64_t, ep *unsafe.Pointer) C.uint {
	r := created(a, ret, h, dat.EPFree, ep)
	if r == 0 {
		reportTo(handleAt(*ep), dat.EVDHandle(request))
	}
	return r
}

// reportTo says where an endpoint's requests complete.
func reportTo(ep *C.dg_handle, request dat.EVDHandle) {
	var slot C.uint32_t
	if c := find(dat.Handle(request)); c != nil && c.evd != 0 {
		slot = c.slot
	}
	putSlot(ep, slot)
}

// created finishes a call that makes an object: it makes the handle.
func created[H dat.AnyHandle](a *adapter, ret dat.Return, h H, undo func(H) dat.Return, to *unsafe.Pointer) C.uint {
	if ret != dat.Success {
		return code(ret)
	}
	c, ret := give(a, h, undo)
	if ret == dat.Success {
		putPointer(to, c)
	}
	return code(ret)
}

//export goEPQuery
func goEPQuery(ep C.uint64_t, c *C.dg_handle, mask C.uint64_t, to *C.dg_ep_param) C.uint {
	var p dat.EPParam
	if ret := dat.EPQuery(dat.EPHandle(ep), allOf(dat.EPFieldAll, mask&^epFields), outOf(&p, to)); ret != dat.Success {
		return code(ret)
	}
	*to = C.dg_ep_param{
		ia_handle: iaNumber(p.IAHandle), ep_state: C.uint32_t(p.EPState),
		comm:            C.dg_comm{domain: C.int32_t(p.Comm.Domain), _type: C.int32_t(p.Comm.Type), protocol: C.int32_t(p.Comm.Protocol)},
		local_port_qual: C.uint64_t(p.LocalPortQual), remote_port_qual: C.uint64_t(p.RemotePortQual),
		pz_handle: pointer(find(dat.Handle(p.PZHandle))), recv_evd_handle: pointer(find(dat.Handle(p.RecvEVDHandle))),
		request_evd_handle: pointer(find(dat.Handle(p.RequestEVDHandle))), connect_evd_handle: pointer(find(dat.Handle(p.ConnectEVDHandle))),
		srq_handle: pointer(find(dat.Handle(p.SRQHandle))), ep_attr: cEPAttr(&p.EPAttr),
	}
	if x := extra[C.dg_connection_extra](c); x != nil {
		putAddress(&x.local, p.LocalIAAddressPtr, p.LocalPortQual)
		to.local_ia_address_ptr = as[C.struct_sockaddr](&x.local)
		if p.RemoteIAAddressPtr != nil {
			putAddress(&x.remote, p.RemoteIAAddressPtr, p.RemotePortQual)
			to.remote_ia_address_ptr = as[C.struct_sockaddr](&x.remote)
		}
	}
	return 0
}

// epFields is the mask of all members in 2.0.
const epFields = 0x7FFFFFFF

// allOf is all, the mask of all members of package dat, or a mask that it refuses, behind the handle, if the
// program's mask has unknown bits.
func allOf[M ~uint32 | ~uint64, U C.uint | C.uint64_t](all M, unknown U) M {
	if unknown != 0 {
		return ^M(0)
	}
	return all
}

// epMask converts a mask of 2.0 to package dat's form: COMM occupies an unused place of
// 1.2, and the later members are shifted by one.
func epMask(mask C.uint64_t) dat.EPParamMask {
	const comm, moved = 0x4, 0xff8
	m := dat.EPParamMask(mask&^(comm|moved) | mask&moved>>1)
	if mask&comm != 0 {
		m |= dat.EPFieldComm
	}
	return m
}

//export goEPModify
func goEPModify(ep, mask C.uint64_t, from *C.dg_ep_param, pz, recv, request, connect, srq C.uint64_t) C.uint {
	if from == nil || mask&^epFields != 0 { // an error, but of the handle if that is wrong, too
		return code(dat.EPModify(dat.EPHandle(ep), allOf(epMask(mask), mask&^epFields), nil))
	}
	p := dat.EPParam{PZHandle: dat.PZHandle(pz), RecvEVDHandle: dat.EVDHandle(recv), RequestEVDHandle: dat.EVDHandle(request),
		ConnectEVDHandle: dat.EVDHandle(connect), SRQHandle: dat.SRQHandle(srq), EPAttr: *adapterWith(ep).epAttr(&from.ep_attr)}
	ret := dat.EPModify(dat.EPHandle(ep), epMask(mask), &p)
	if c := find(dat.Handle(ep)); ret == dat.Success && c != nil && epMask(mask)&dat.EPFieldRequestEVDHandle != 0 {
		reportTo(c, p.RequestEVDHandle)
	}
	return code(ret)
}

//export goEPGetStatus
func goEPGetStatus(ep C.uint64_t, state, recvIdle, requestIdle *C.uint) C.uint {
	var s dat.EPState
	var recv, request dat.Boolean
	ret := dat.EPGetStatus(dat.EPHandle(ep), outOf(&s, state), outOf(&recv, recvIdle), outOf(&request, requestIdle))
	if ret == dat.Success {
		put(state, C.uint(s))
		put(recvIdle, boolean(recv))
		put(requestIdle, boolean(request))
	}
	return code(ret)
}

// put sets an output parameter, which may be NULL.
func put[T any](to *T, v T) {
	if to != nil {
		*to = v
	}
}

//export goEPRecvQuery
func goEPRecvQuery(ep C.uint64_t, buffers, span *C.int32_t) C.uint {
	var b, s dat.Count
	ret := dat.EPRecvQuery(dat.EPHandle(ep), outOf(&b, buffers), outOf(&s, span))
	if ret == dat.Success {
		put(buffers, C.int32_t(b))
		put(span, C.int32_t(s))
	}
	return code(ret)
}

//export goEPSetWatermark
func goEPSetWatermark(ep C.uint64_t, soft, hard C.int32_t) C.uint {
	return code(dat.EPSetWatermark(dat.EPHandle(ep), dat.Count(soft), dat.Count(hard)))
}

//export goEPReset
func goEPReset(ep C.uint64_t) C.uint { return code(dat.EPReset(dat.EPHandle(ep))) }

//export goEPFree
func goEPFree(ep C.uint64_t) C.uint {
	h := dat.EPHandle(ep)
	return dropIf(dat.EPFree(h), h)
}
