package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/godapl/godapl/compat/dat"
)

// asyncDepth is the minimum depth of a dispatcher of asynchronous errors. Other
// providers give more than programs ask for, and programs rely on it: with a shared
// receive queue each endpoint that ends makes an event, and an event without room makes
// the adapter fail.
const asyncDepth = 1 << 12

//export goIAOpen
func goIAOpen(name *C.char, qlen C.int32_t, async *C.uintptr_t, ia *unsafe.Pointer) C.uint {
	r := recordOf(C.GoString(name))
	if r == nil {
		return code(dat.ClassError | dat.ProviderNotFound | dat.NameNotRegistered)
	}
	if async == nil || ia == nil {
		return code(badArg(3))
	}
	given := asyncOf(*async)
	if *async == 0 && qlen > 0 {
		qlen = max(qlen, asyncDepth)
	}
	var h dat.IAHandle
	ret := dat.IAOpenv(r.name, dat.Count(qlen), &given, &h, 2, 0, dat.False)
	if ret != dat.Success {
		return code(ret)
	}
	a, ret := enter(r, h)
	if ret != dat.Success {
		dat.IAClose(h, dat.CloseAbruptFlag)
		return code(ret)
	}
	if given > dat.EVDOutOfScope && *async == 0 {
		c, ret := newEVD(a, given, false)
		if ret != dat.Success {
			leave(a)
			return code(ret)
		}
		*async = address(c)
	}
	*ia = pointer(find(dat.Handle(h)))
	return 0
}

// asyncOf returns the dispatcher that a program gives for asynchronous errors. It may be a
// small number instead of a handle.
func asyncOf(p C.uintptr_t) dat.EVDHandle {
	if p <= C.uintptr_t(dat.EVDOutOfScope) {
		return dat.EVDHandle(p)
	}
	return dat.EVDHandle(C.dg_number(p))
}

// enter records an open adapter, and makes its handle.
func enter(r *record, h dat.IAHandle) (*adapter, dat.Return) {
	a := &adapter{entry: r.entry, number: dat.Handle(h)}
	if ret := dat.IAQuery(h, nil, dat.IAFieldAll, &a.attr, dat.ProviderFieldAll, &a.caps); ret != dat.Success {
		return nil, ret
	}
	adapters.Lock()
	adapters.all[a.number] = a
	adapters.Unlock()
	c := handleOf(a, h)
	if a.x = extra[C.dg_ia_extra](c); a.x == nil {
		forget(a)
		return nil, outOfMemory
	}
	for _, n := range [...]*dat.Count{&a.attr.MaxIOVSegmentsPerDTO, &a.attr.MaxIOVSegmentsPerRDMARead, &a.attr.MaxIOVSegmentsPerRDMAWrite} {
		*n = min(*n, mostSegments)
	}
	a.describe(a.x)
	return a, dat.Success
}

// leave closes an adapter for which enter has failed.
func leave(a *adapter) {
	dat.IAClose(dat.IAHandle(a.number), dat.CloseAbruptFlag)
	forget(a)
}

func forget(a *adapter) {
	dropAll(a.number)
	adapters.Lock()
	delete(adapters.all, a.number)
	adapters.Unlock()
}

//export goIAClose
func goIAClose(ia C.uint64_t, flags C.uint) C.uint {
	a := adapterOf(ia)
	ret := dat.IAClose(dat.IAHandle(ia), dat.CloseFlags(flags))
	if ret == dat.Success && a != nil {
		forget(a)
	}
	return code(ret)
}

// The masks of 2.0 for all members.
const (
	iaFields       = 0x3FFFFFFFFF
	providerFields = 0x7FFFFFFF
)

//export goIAQuery
func goIAQuery(ia C.uint64_t, async *C.uintptr_t, mask C.uint64_t, attr *C.dg_ia_attr, providerMask C.uint64_t, provider *C.dg_provider_attr) C.uint {
	a := adapterOf(ia)
	switch {
	case a == nil:
		return code(invalidHandle | dat.InvalidHandleIA)
	case mask&^iaFields != 0:
		return code(badArg(3))
	case mask != 0 && attr == nil:
		return code(badArg(4))
	case providerMask&^providerFields != 0:
		return code(badArg(5))
	case providerMask != 0 && provider == nil:
		return code(badArg(6))
	}
	if async != nil {
		var evd dat.EVDHandle
		if ret := dat.IAQuery(dat.IAHandle(ia), &evd, 0, nil, 0, nil); ret != dat.Success {
			return code(ret)
		}
		*async = a.asyncHandle(evd)
	}
	if mask != 0 {
		a.fillAttr(attr, a.x)
	}
	if providerMask != 0 {
		a.fillProvider(provider, a.x)
	}
	return 0
}

// asyncHandle returns the C handle of the dispatcher of asynchronous errors.
func (a *adapter) asyncHandle(evd dat.EVDHandle) C.uintptr_t {
	if evd <= dat.EVDOutOfScope {
		return C.uintptr_t(evd)
	}
	return address(find(dat.Handle(evd)))
}

//export goIBOpenQuery
func goIBOpenQuery(name *C.char, ia *unsafe.Pointer, mask C.uint64_t, attr *C.dg_ia_attr, providerMask C.uint64_t, provider *C.dg_provider_attr) C.uint {
	if name == nil {
		return code(badArg(1))
	}
	async := C.uintptr_t(dat.EVDAsyncExists)
	if ret := goIAOpen(name, 0, &async, ia); ret != 0 {
		return ret
	}
	n := C.dg_number(address(handleAt(*ia)))
	ret := goIAQuery(n, nil, mask, attr, providerMask, provider)
	if ret != 0 {
		goIAClose(n, C.uint(dat.CloseAbruptFlag))
	}
	return ret
}

//export goGetHandleType
func goGetHandleType(h C.uint64_t, typ *C.uint) C.uint {
	var t dat.HandleType
	ret := dat.GetHandleType(dat.Handle(h), outOf(&t, typ))
	if ret == dat.Success {
		*typ = C.uint(t)
	}
	return code(ret)
}
