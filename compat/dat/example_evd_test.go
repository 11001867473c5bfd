package dat_test

import (
	"fmt"

	"github.com/godapl/godapl/compat/dat"
)

func ExampleEVDHandle() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var evd dat.EVDHandle
	ret := dat.EVDCreate(s.ia, 10, dat.HandleNull, dat.EVDSoftwareFlag, &evd)
	fmt.Println(ret == dat.Success)
	ret = dat.EVDResize(evd, 100)
	fmt.Println(ret == dat.Success)
	ret = dat.EVDDisable(evd)
	ret = dat.EVDEnable(evd)
	fmt.Println(ret == dat.Success)
	ret = dat.EVDSetUnwaitable(evd)
	ret = dat.EVDClearUnwaitable(evd)
	fmt.Println(ret == dat.Success)
	ret = dat.EVDFree(evd)
	fmt.Println(ret == dat.Success)
	// Output:
	// true
	// true
	// true
	// true
	// true
}

func ExampleEVDFlags() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var evd dat.EVDHandle
	ret := dat.EVDCreate(s.ia, 64, dat.HandleNull, dat.EVDDTOFlag|dat.EVDConnectionFlag, &evd)
	fmt.Println(ret == dat.Success)
	ret = dat.EVDPostSE(evd, &dat.Event{EventNumber: dat.SoftwareEvent})
	fmt.Println(ret.Type() == dat.InvalidParameter) // it has no software stream
	// Output:
	// true
	// true
}

func ExampleEVDParam() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var param dat.EVDParam
	ret := dat.EVDQuery(s.evd, dat.EVDFieldAll, &param)
	fmt.Println(ret == dat.Success, param.EVDQlen >= 64, param.EVDFlags&dat.EVDDTOFlag != 0)
	// Output: true true true
}

func ExampleEVDParamMask() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var param dat.EVDParam
	ret := dat.EVDQuery(s.evd, dat.EVDFieldEVDQlen|dat.EVDFieldCNO, &param)
	fmt.Println(ret == dat.Success, param.CNOHandle == dat.HandleNull)
	// Output: true true
}

func ExampleEVDState() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var param dat.EVDParam
	dat.EVDQuery(s.evd, dat.EVDFieldEVDState, &param)
	fmt.Println(param.EVDState == dat.EVDStateEnabled|dat.EVDStateWaitable|dat.EVDStateConfigThreshold)
	// Output: true
}

func ExampleTimeout() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var event dat.Event
	var nmore dat.Count
	var milliseconds dat.Timeout = 1000 // microseconds each
	ret := dat.EVDWait(s.evd, 5*milliseconds, 1, &event, &nmore)
	fmt.Println(ret.Type() == dat.TimeoutExpired)
	// Output: true
}

func ExampleCount() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	for range 3 {
		dat.EVDPostSE(s.evd, &dat.Event{EventNumber: dat.SoftwareEvent})
	}
	var event dat.Event
	var threshold, nmore dat.Count = 3, 0
	ret := dat.EVDWait(s.evd, dat.TimeoutInfinite, threshold, &event, &nmore)
	fmt.Println(ret == dat.Success, nmore) // one was taken
	// Output: true 2
}

func ExampleEventNumber() {
	server, client, done := examplePair()
	defer done()
	dat.EPDisconnect(client.ep, dat.CloseGracefulFlag)
	switch event := server.next(); event.EventNumber {
	case dat.ConnectionEventDisconnected:
		fmt.Println("the client has left")
	case dat.ConnectionEventBroken:
		fmt.Println("the connection was lost")
	case dat.DTOCompletionEvent:
		fmt.Println("an operation is complete")
	}
	// Output: the client has left
}

func ExampleEventData() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var event dat.Event
	event.EventNumber = dat.SoftwareEvent
	event.EventData.SoftwareEventData.Pointer = 17
	ret := dat.EVDPostSE(s.evd, &event)
	ret = dat.EVDDequeue(s.evd, &event)
	fmt.Println(ret == dat.Success, event.EventData.SoftwareEventData.Pointer)
	// Output: true 17
}

func ExampleSoftwareEventData() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	data := dat.EventData{SoftwareEventData: dat.SoftwareEventData{Pointer: "wake up"}}
	dat.EVDPostSE(s.evd, &dat.Event{EventNumber: dat.SoftwareEvent, EventData: data})
	fmt.Println(s.next().EventData.SoftwareEventData.Pointer)
	// Output: wake up
}

func ExampleAsynchErrorEventData() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	// More receives than the soft watermark is news.
	iov := [1]dat.LMRTriplet{s.segment(0, 8)}
	ret := dat.EPSetWatermark(s.ep, 1, dat.WatermarkInfinite)
	for range 2 {
		dat.EPPostRecv(s.ep, 1, iov[:], dat.DTOCookie{}, dat.CompletionDefaultFlag)
	}
	var event dat.Event
	var nmore dat.Count
	ret = dat.EVDWait(s.async, dat.TimeoutInfinite, 1, &event, &nmore)
	data := event.EventData.AsynchErrorEventData
	fmt.Println(ret == dat.Success, data.DatHandle == dat.Handle(s.ep), data.Reason == dat.SRQSoftHighWatermarkEvent)
	// Output: true true true
}
