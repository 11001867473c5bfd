package dat_test

import (
	"fmt"

	"github.com/godapl/godapl/compat/dat"
)

func ExampleCNOHandle() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var cno dat.CNOHandle
	ret := dat.CNOCreate(s.ia, dat.OsWaitProxyAgentNull, &cno)
	ret = dat.EVDModifyCNO(s.evd, cno)
	go dat.EVDPostSE(s.evd, &dat.Event{EventNumber: dat.SoftwareEvent})

	var evd dat.EVDHandle
	var event dat.Event
	ret = dat.CNOWait(cno, dat.TimeoutInfinite, &evd)
	for ret == dat.Success { // drain it: one trigger stands for many events
		if ret = dat.EVDDequeue(evd, &event); ret == dat.Success {
			fmt.Println(evd == s.evd, event.EventNumber == dat.SoftwareEvent)
		}
	}
	fmt.Println(ret.Type() == dat.QueueEmpty)

	ret = dat.EVDModifyCNO(s.evd, dat.HandleNull)
	ret = dat.CNOFree(cno)
	fmt.Println(ret == dat.Success)
	// Output:
	// true true
	// true
	// true
}

func ExampleCNOParam() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var cno dat.CNOHandle
	dat.CNOCreate(s.ia, dat.OsWaitProxyAgentNull, &cno)
	var param dat.CNOParam
	ret := dat.CNOQuery(cno, dat.CNOFieldAll, &param)
	fmt.Println(ret == dat.Success, param.IAHandle == s.ia, param.Agent.ProxyAgentFunc == nil)
	// Output: true true true
}

func ExampleCNOParamMask() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var cno dat.CNOHandle
	dat.CNOCreate(s.ia, dat.OsWaitProxyAgentNull, &cno)
	var param dat.CNOParam
	ret := dat.CNOQuery(cno, dat.CNOFieldAgent, &param)
	fmt.Println(ret == dat.Success, param.Agent.ProxyAgentFunc == nil)
	// Output: true true
}

func ExampleProxyType() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var cno dat.CNOHandle
	agent := dat.OsWaitProxyAgent{ProxyAgentFunc: func(dat.Pvoid, dat.EVDHandle) {}}
	dat.CNOCreate(s.ia, agent, &cno)
	var param dat.CNOParam
	dat.CNOQuery(cno, dat.CNOFieldProxyType, &param)
	fmt.Println(param.ProxyType == dat.ProxyTypeAgent)
	// Output: true
}

func ExampleAgentFunc() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var cno dat.CNOHandle
	dat.CNOCreate(s.ia, dat.OsWaitProxyAgentNull, &cno)
	dat.EVDModifyCNO(s.evd, cno)
	done := make(chan dat.Pvoid)
	var handler dat.AgentFunc = func(instanceData dat.Pvoid, evd dat.EVDHandle) {
		var event dat.Event
		dat.EVDDequeue(evd, &event)
		done <- event.EventData.SoftwareEventData.Pointer
	}
	ret := dat.CNOModifyAgent(cno, dat.OsWaitProxyAgent{InstanceData: s, ProxyAgentFunc: handler})
	event := dat.Event{EventNumber: dat.SoftwareEvent}
	event.EventData.SoftwareEventData.Pointer = "taken by the agent"
	dat.EVDPostSE(s.evd, &event)
	fmt.Println(ret == dat.Success, <-done)
	// Output: true taken by the agent
}
