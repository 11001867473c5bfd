package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/godapl/godapl/compat/dat"
)

// fill writes the event in C's form; evd is the dispatcher that it was taken from.
func (s *slip) fill(to *C.dg_event, evd *C.dg_handle) {
	to.event_number = C.uint32_t(s.event.EventNumber)
	to.evd_handle = pointer(evd)
	switch n := s.event.EventNumber; {
	case n == dat.DTOCompletionEvent:
		s.fillDTO(as[C.dg_dto_data](&to.event_data))
	case n == dat.IBDTOEvent:
		s.fillDTO(as[C.dg_dto_data](&to.event_data))
		x := &s.event.EventExtensionData
		*as[C.dg_ib_data](&to.event_extension_data) = C.dg_ib_data{_type: C.uint32_t(x.Type), status: C.uint32_t(x.Status),
			immed: C.uint32_t(x.ImmedData)}
	case n == dat.RMRBindCompletionEvent:
		s.fillBind(as[C.dg_rmr_bind_data](&to.event_data))
	case n == dat.ConnectionRequestEvent:
		s.fillRequest(as[C.dg_cr_data](&to.event_data), evd)
	case n == dat.SoftwareEvent:
		p, _ := s.event.EventData.SoftwareEventData.Pointer.(C.uintptr_t)
		*as[C.uintptr_t](&to.event_data) = p
	case n >= dat.AsyncErrorEVDOverflow:
		d := &s.event.EventData.AsynchErrorEventData
		*as[C.dg_asynch_error_data](&to.event_data) = C.dg_asynch_error_data{dat_handle: subject(d.DatHandle),
			reason: C.int32_t(d.Reason)}
	default:
		s.fillConnection(as[C.dg_connection_data](&to.event_data))
	}
}

// subject returns the handle of the object that an error concerns, as the program knows it: that of an adapter is a
// small number.
func subject(h dat.Handle) C.uintptr_t {
	var t dat.HandleType
	if dat.GetHandleType(h, &t) == dat.Success && t == dat.HandleTypeIA {
		return iaNumber(dat.IAHandle(h))
	}
	return address(find(h))
}

// pack writes an event that can be on a tray: a completion or a bind.
func (s *slip) pack(to *C.dg_ready) {
	to.event_number = C.uint32_t(s.event.EventNumber)
	switch s.event.EventNumber {
	case dat.RMRBindCompletionEvent:
		s.fillBind(as[C.dg_rmr_bind_data](&to.data))
	case dat.IBDTOEvent:
		x := &s.event.EventExtensionData
		to._type, to.status, to.immed = C.uint32_t(x.Type), C.uint32_t(x.Status), C.uint32_t(x.ImmedData)
		fallthrough
	default:
		s.fillDTO(&to.data)
	}
}

func cookie(n uint64) (c C.dg_context) {
	*as[uint64](&c) = n
	return c
}

// fillDTO writes a completion.
func (s *slip) fillDTO(to *C.dg_dto_data) {
	d := &s.event.EventData.DTOCompletionEventData
	if d.EPHandle != s.ep || s.c == nil {
		s.ep, s.c = d.EPHandle, find(dat.Handle(d.EPHandle))
	}
	to.ep_handle = pointer(s.c)
	*as[uint64](&to.user_cookie) = d.UserCookie.As64
	to.status = C.uint32_t(d.Status)
	to.transfered_length = word32(d.TransferedLength)
	to.operation = C.uint32_t(d.Operation)
	to.rmr_context = C.uint32_t(d.RMRContext)
}

// fillBind writes the completion of a bind.
func (s *slip) fillBind(to *C.dg_rmr_bind_data) {
	d := &s.event.EventData.RMRCompletionEventData
	*to = C.dg_rmr_bind_data{rmr_handle: pointer(find(dat.Handle(d.RMRHandle))), user_cookie: cookie(d.UserCookie.As64),
		status: C.uint32_t(d.Status)}
}

// fillRequest writes a connection request, and makes its handle.
func (s *slip) fillRequest(to *C.dg_cr_data, evd *C.dg_handle) {
	d := &s.event.EventData.CRArrivalEventData
	a := adapterWith(evd.number)
	cr := handleOf(a, d.CRHandle)
	sp := dat.Handle(d.SPHandle.PSPHandle)
	for _, h := range [...]dat.Handle{dat.Handle(d.SPHandle.RSPHandle), dat.Handle(d.SPHandle.CSPHandle)} {
		if h != 0 {
			sp = h
		}
	}
	*to = C.dg_cr_data{sp_handle: pointer(servicePoint(sp)), conn_qual: C.uint64_t(d.ConnQual), cr_handle: pointer(cr)}
	if x := extra[C.dg_connection_extra](cr); x != nil {
		putAddress(&x.local, d.LocalIAAddressPtr, 0)
		to.local_ia_address_ptr = as[C.struct_sockaddr](&x.local)
	}
}

// fillConnection writes the result of a connection attempt. The private data is kept
// with the endpoint.
func (s *slip) fillConnection(to *C.dg_connection_data) {
	d := &s.event.EventData.ConnectEventData
	ep := find(dat.Handle(d.EPHandle))
	*to = C.dg_connection_data{ep_handle: pointer(ep)}
	if x := extra[C.dg_connection_extra](ep); x != nil && len(d.PrivateData) > 0 {
		to.private_data, to.private_data_size = keep(x, d.PrivateData)
	}
}

// keep copies private data to the memory of a handle.
func keep(x *C.dg_connection_extra, data []byte) (unsafe.Pointer, C.int32_t) {
	n := copy(bytesAt(unsafe.Pointer(&x.private_data), C.DG_PRIVATE), data)
	return unsafe.Pointer(&x.private_data), C.int32_t(n)
}
