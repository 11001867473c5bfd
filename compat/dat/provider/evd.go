package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/godapl/godapl/compat/dat"
)

// newEVD makes the C handle of a dispatcher. triggers says that the dispatcher has a
// notification object.
func newEVD(a *adapter, h dat.EVDHandle, triggers bool) (*C.dg_handle, dat.Return) {
	c, ret := give(a, h, dat.EVDFree)
	if ret != dat.Success {
		return nil, ret
	}
	c.slot = C.uint32_t(inboxes.enter(newInbox(c, h, triggers)))
	c.evd = 1
	return c, dat.EVDPending(h, pendingOf(c))
}

//export goEVDCreate
func goEVDCreate(ia C.uint64_t, qlen C.int32_t, cno C.uint64_t, flags C.uint, evd *unsafe.Pointer) C.uint {
	var h dat.EVDHandle
	ret := dat.EVDCreate(dat.IAHandle(ia), dat.Count(qlen), dat.CNOHandle(cno), dat.EVDFlags(flags), outOf(&h, evd))
	if ret != dat.Success {
		return code(ret)
	}
	c, ret := newEVD(adapterOf(ia), h, cno != 0)
	putPointer(evd, c)
	return code(ret)
}

//export goEVDFree
func goEVDFree(evd C.uint64_t) C.uint {
	h := dat.EVDHandle(evd)
	return dropIf(whole(h, func(*inbox) dat.Return { return dat.EVDFree(h) }), h)
}

//export goEVDDequeue
func goEVDDequeue(c *C.dg_handle, event *C.dg_event) C.uint {
	b := inboxes.of(c)
	if b == nil {
		return code(badEVD)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.goesAhead() {
		if ret := b.lay(); ret != dat.Success {
			return code(ret)
		}
		return C.DG_TAKE
	}
	ret := dat.EVDDequeue(b.number, &b.slip.event)
	if ret == dat.Success {
		b.slip.fill(event, c)
	}
	return code(ret)
}

//export goEVDWait
func goEVDWait(c *C.dg_handle, timeout C.uint, threshold C.int32_t, event *C.dg_event, more *C.int32_t, s *C.dg_sleep) C.uint {
	if event == nil {
		return code(badArg(4))
	}
	if more == nil {
		return code(badArg(5))
	}
	breathe(s)
	b := inboxes.of(c)
	if b == nil {
		return code(badEVD)
	}
	w := sleeps.begin()
	b.beginWait()
	w.b, w.c = b, c
	if w.kick == nil {
		return w.evdDone(dat.EVDWait(b.number, dat.Timeout(timeout), dat.Count(threshold), &w.slip.event, &w.slip.more), event, more)
	}
	asleep, ret := w.s.EVDWait(b.number, timeout != 0, dat.Count(threshold), &w.slip.event, &w.slip.more)
	if asleep {
		return w.asleep(s)
	}
	return w.evdDone(ret, event, more)
}

//export goEVDPostSE
func goEVDPostSE(evd C.uint64_t, event *C.dg_event) C.uint {
	if event == nil {
		return code(dat.EVDPostSE(dat.EVDHandle(evd), nil))
	}
	e := dat.Event{EventNumber: dat.EventNumber(event.event_number)}
	e.EventData.SoftwareEventData.Pointer = *as[C.uintptr_t](&event.event_data)
	return code(dat.EVDPostSE(dat.EVDHandle(evd), &e))
}

//export goEVDQuery
func goEVDQuery(evd C.uint64_t, mask C.uint, to *C.dg_evd_param) C.uint {
	var p dat.EVDParam
	if ret := dat.EVDQuery(dat.EVDHandle(evd), dat.EVDParamMask(mask), outOf(&p, to)); ret != dat.Success {
		return code(ret)
	}
	*to = C.dg_evd_param{
		ia_handle: iaNumber(p.IAHandle), evd_qlen: C.int32_t(p.EVDQlen), evd_state: C.uint32_t(p.EVDState),
		cno_handle: pointer(find(dat.Handle(p.CNOHandle))), evd_flags: C.uint32_t(p.EVDFlags),
	}
	return 0
}

// outOf returns the destination of a result for package dat: p, or nil if C passes NULL.
func outOf[T, C any](p *T, to *C) *T {
	if to == nil {
		return nil
	}
	return p
}

// iaNumber returns the handle of an adapter, which for programs is a small number.
func iaNumber(h dat.IAHandle) C.uintptr_t { return C.dg_ia_of(pointer(find(dat.Handle(h)))) }

//export goEVDModifyCNO
func goEVDModifyCNO(evd, cno C.uint64_t) C.uint {
	h := dat.EVDHandle(evd)
	return code(whole(h, func(b *inbox) dat.Return {
		ret := dat.EVDModifyCNO(h, dat.CNOHandle(cno))
		var p dat.EVDParam
		b.triggers = dat.EVDQuery(h, dat.EVDFieldAll, &p) != dat.Success || p.CNOHandle != 0
		return ret
	}))
}

//export goEVDEnable
func goEVDEnable(evd C.uint64_t) C.uint { return code(dat.EVDEnable(dat.EVDHandle(evd))) }

//export goEVDDisable
func goEVDDisable(evd C.uint64_t) C.uint { return code(dat.EVDDisable(dat.EVDHandle(evd))) }

//export goEVDResize
func goEVDResize(evd C.uint64_t, qlen C.int32_t) C.uint {
	h := dat.EVDHandle(evd)
	return code(whole(h, func(b *inbox) dat.Return {
		ret := dat.EVDResize(h, dat.Count(qlen))
		if b.ahead != nil {
			b.ahead.Refit()
		}
		return ret
	}))
}

//export goEVDSetUnwaitable
func goEVDSetUnwaitable(evd C.uint64_t) C.uint {
	h := dat.EVDHandle(evd)
	return code(whole(h, func(b *inbox) dat.Return {
		b.tray.allowWaits(false)
		return dat.EVDSetUnwaitable(h)
	}))
}

//export goEVDClearUnwaitable
func goEVDClearUnwaitable(evd C.uint64_t) C.uint {
	h := dat.EVDHandle(evd)
	return code(whole(h, func(b *inbox) dat.Return {
		ret := dat.EVDClearUnwaitable(h)
		b.tray.allowWaits(ret == dat.Success)
		return ret
	}))
}
