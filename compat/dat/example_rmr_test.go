package dat_test

import (
	"fmt"

	"github.com/godapl/godapl/compat/dat"
)

func ExampleRMRHandle() {
	server, _, done := examplePair()
	defer done()
	var rmr dat.RMRHandle
	var key dat.RMRContext
	ret := dat.RMRCreate(server.pz, &rmr)
	part := server.segment(100, 8)
	ret = dat.RMRBind(rmr, &part, dat.MemPrivRemoteReadFlag, server.ep, dat.RMRCookie{As64: 3}, dat.CompletionDefaultFlag, &key)
	fmt.Println(ret == dat.Success, key != 0, server.next().EventNumber == dat.RMRBindCompletionEvent)
	ret = dat.RMRFree(rmr)
	fmt.Println(ret == dat.Success)
	// Output:
	// true true true
	// true
}

// exampleWindow is a window that is bound to the first bytes of a side.
func exampleWindow(s *exampleSide, n int, cookie dat.RMRCookie) (rmr dat.RMRHandle, event dat.Event) {
	part := s.segment(0, n)
	dat.RMRCreate(s.pz, &rmr)
	dat.RMRBind(rmr, &part, dat.MemPrivRemoteReadFlag, s.ep, cookie, dat.CompletionDefaultFlag, nil)
	return rmr, s.next()
}

func ExampleRMRBindCompletionEventData() {
	server, _, done := examplePair()
	defer done()
	rmr, event := exampleWindow(server, 8, dat.RMRCookie{})
	data := event.EventData.RMRCompletionEventData
	fmt.Println(data.RMRHandle == rmr, data.Status == dat.RMRBindSuccess)
	// Output: true true
}

func ExampleRMRCookie() {
	server, _, done := examplePair()
	defer done()
	_, event := exampleWindow(server, 8, dat.RMRCookie{As64: 9})
	fmt.Println(event.EventData.RMRCompletionEventData.UserCookie.As64)
	// Output: 9
}

func ExampleRMRParam() {
	server, _, done := examplePair()
	defer done()
	rmr, _ := exampleWindow(server, 8, dat.RMRCookie{})
	var param dat.RMRParam
	ret := dat.RMRQuery(rmr, dat.RMRFieldAll, &param)
	fmt.Println(ret == dat.Success, param.LMRTriplet.SegmentLength, param.RMRContext != 0)
	// Output: true 8 true
}

func ExampleRMRParamMask() {
	server, _, done := examplePair()
	defer done()
	rmr, _ := exampleWindow(server, 8, dat.RMRCookie{})
	var param dat.RMRParam
	ret := dat.RMRQuery(rmr, dat.RMRFieldMemPriv, &param)
	fmt.Println(ret == dat.Success, param.MemPriv == dat.MemPrivRemoteReadFlag)
	// Output: true true
}
