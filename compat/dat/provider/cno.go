package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/godapl/godapl/compat/dat"
)

// agent is a function of C and its data; queries return both.
type agent struct {
	data C.uintptr_t
	f    unsafe.Pointer
}

// proxy makes the agent that package dat calls, on a thread of Go.
func proxy(data C.uintptr_t, f unsafe.Pointer) dat.OsWaitProxyAgent {
	g := dat.OsWaitProxyAgent{}
	if data != 0 || f != nil {
		g.InstanceData = agent{data, f}
	}
	if f != nil {
		g.ProxyAgentFunc = func(_ dat.Pvoid, evd dat.EVDHandle) {
			C.dg_call_agent(f, data, pointer(find(dat.Handle(evd))))
		}
	}
	return g
}

//export goCNOCreate
func goCNOCreate(ia C.uint64_t, data C.uintptr_t, f unsafe.Pointer, cno *unsafe.Pointer) C.uint {
	var h dat.CNOHandle
	ret := dat.CNOCreate(dat.IAHandle(ia), proxy(data, f), outOf(&h, cno))
	return created(adapterOf(ia), ret, h, dat.CNOFree, cno)
}

//export goCNOModifyAgent
func goCNOModifyAgent(cno C.uint64_t, data C.uintptr_t, f unsafe.Pointer) C.uint {
	return code(dat.CNOModifyAgent(dat.CNOHandle(cno), proxy(data, f)))
}

//export goCNOQuery
func goCNOQuery(cno C.uint64_t, mask C.uint, to *C.dg_cno_param) C.uint {
	const fields = 7 // the mask of all members
	var p dat.CNOParam
	if ret := dat.CNOQuery(dat.CNOHandle(cno), allOf(dat.CNOFieldAll, mask&^fields), outOf(&p, to)); ret != dat.Success {
		return code(ret)
	}
	*to = C.dg_cno_param{ia_handle: iaNumber(p.IAHandle), proxy_type: C.uint32_t(p.ProxyType)}
	switch p.ProxyType {
	case dat.ProxyTypeFD:
		*as[C.int32_t](&to.proxy) = C.int32_t(p.FD)
	case dat.ProxyTypeAgent:
		g, _ := p.Agent.InstanceData.(agent)
		*as[C.dg_agent](&to.proxy) = C.dg_agent{instance_data: g.data, proxy_agent_func: (*[0]byte)(g.f)}
	}
	return 0
}

//export goCNOFree
func goCNOFree(cno C.uint64_t) C.uint {
	h := dat.CNOHandle(cno)
	return dropIf(dat.CNOFree(h), h)
}

//export goCNOWait
func goCNOWait(cno C.uint64_t, timeout C.uint, evd *unsafe.Pointer, s *C.dg_sleep) C.uint {
	breathe(s)
	w := sleeps.begin()
	if w.kick == nil {
		return w.cnoDone(dat.CNOWait(dat.CNOHandle(cno), dat.Timeout(timeout), outOf(&w.evd, evd)), evd)
	}
	asleep, ret := w.s.CNOWait(dat.CNOHandle(cno), timeout != 0, outOf(&w.evd, evd))
	if asleep {
		return w.asleep(s)
	}
	return w.cnoDone(ret, evd)
}

//export goCNOTrigger
func goCNOTrigger(cno C.uint64_t, evd *unsafe.Pointer) C.uint {
	var h dat.EVDHandle
	ret := dat.CNOTrigger(dat.CNOHandle(cno), outOf(&h, evd))
	put(evd, pointer(find(dat.Handle(h))))
	return code(ret)
}

//export goCNOFDCreate
func goCNOFDCreate(ia C.uint64_t, fd *C.int32_t, cno *unsafe.Pointer) C.uint {
	var h dat.CNOHandle
	var n dat.FD
	ret := dat.CNOFDCreate(dat.IAHandle(ia), outOf(&n, fd), outOf(&h, cno))
	if ret == dat.Success {
		*fd = C.int32_t(n)
	}
	return created(adapterOf(ia), ret, h, dat.CNOFree, cno)
}
