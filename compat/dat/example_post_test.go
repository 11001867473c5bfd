package dat_test

import (
	"fmt"

	"github.com/godapl/godapl/compat/dat"
)

func ExampleLMRTriplet() {
	server, client, done := examplePair()
	defer done()
	// A message gathered from two places.
	copy(client.buffer, "hello, ")
	copy(client.buffer[100:], "world")
	into := [1]dat.LMRTriplet{server.segment(0, 64)}
	ret := dat.EPPostRecv(server.ep, 1, into[:], dat.DTOCookie{}, dat.CompletionDefaultFlag)
	iov := [2]dat.LMRTriplet{client.segment(0, 7), client.segment(100, 5)}
	ret = dat.EPPostSend(client.ep, 2, iov[:], dat.DTOCookie{}, dat.CompletionDefaultFlag)
	dto := server.next().EventData.DTOCompletionEventData
	fmt.Printf("%t %s\n", ret == dat.Success, server.buffer[:dto.TransferedLength])
	// Output: true hello, world
}

func ExampleDTOCookie() {
	server, client, done := examplePair()
	defer done()
	type work struct{ name string }
	cookie := dat.DTOCookie{AsPtr: &work{"first"}} // in C: cookie.as_ptr = p
	iov, rmr := [1]dat.LMRTriplet{client.segment(0, 8)}, server.remote(0, 8)
	ret := dat.EPPostRDMARead(client.ep, 1, iov[:], cookie, &rmr, dat.CompletionDefaultFlag)
	dto := client.next().EventData.DTOCompletionEventData
	fmt.Println(ret == dat.Success, dto.UserCookie.AsPtr.(*work).name)
	// Output: true first
}

func ExampleDTOCompletionEventData() {
	server, client, done := examplePair()
	defer done()
	iov, rmr := [1]dat.LMRTriplet{client.segment(0, 8)}, server.remote(0, 8)
	ret := dat.EPPostRDMAWrite(client.ep, 1, iov[:], dat.DTOCookie{As64: 5}, &rmr, dat.CompletionDefaultFlag)
	dto := client.next().EventData.DTOCompletionEventData
	fmt.Println(ret == dat.Success, dto.EPHandle == client.ep, dto.UserCookie.As64, dto.TransferedLength)
	// Output: true true 5 8
}

func ExampleDTOCompletionStatus() {
	server, client, done := examplePair()
	defer done()
	iov, rmr := [1]dat.LMRTriplet{client.segment(0, 8)}, server.remote(0, 8)
	rmr.RMRContext++ // no such key
	dat.EPPostRDMAWrite(client.ep, 1, iov[:], dat.DTOCookie{}, &rmr, dat.CompletionDefaultFlag)
	switch dto := client.next().EventData.DTOCompletionEventData; dto.Status {
	case dat.DTOSuccess:
		fmt.Println("written")
	case dat.DTOErrRemoteAccess:
		fmt.Println("the peer lets nobody write there")
	case dat.DTOErrFlushed:
		fmt.Println("the connection had ended")
	}
	// Output: the peer lets nobody write there
}

func ExampleCompletionFlags() {
	server, client, done := examplePair()
	defer done()
	iov, rmr := [1]dat.LMRTriplet{client.segment(0, 8)}, server.remote(0, 8)
	for range 3 { // success makes no event
		dat.EPPostRDMAWrite(client.ep, 1, iov[:], dat.DTOCookie{}, &rmr, dat.CompletionSuppressFlag)
	}
	ret := dat.EPPostRDMAWrite(client.ep, 1, iov[:], dat.DTOCookie{As64: 4}, &rmr, dat.CompletionDefaultFlag)
	dto := client.next().EventData.DTOCompletionEventData
	fmt.Println(ret == dat.Success, dto.UserCookie.As64)
	// Output: true 4
}

func ExampleDTOS() {
	server, client, done := examplePair()
	defer done()
	iov, rmr := [1]dat.LMRTriplet{client.segment(0, 8)}, server.remote(0, 8)
	dat.EPPostRDMARead(client.ep, 1, iov[:], dat.DTOCookie{}, &rmr, dat.CompletionDefaultFlag)
	fmt.Println(client.next().EventData.DTOCompletionEventData.Operation == dat.DTORDMARead)
	// Output: true
}

func ExampleRMRScope() {
	server, client, done := examplePair()
	defer done()
	// The server lends eight bytes, for one answer.
	var rmr dat.RMRHandle
	ret := dat.RMRCreateForEP(server.pz, &rmr)
	var key dat.RMRContext
	part := server.segment(0, 8)
	ret = dat.RMRBind20(rmr, server.lmr, &part, dat.MemPrivRemoteReadFlag, dat.VATypeVA, server.ep, dat.RMRCookie{}, dat.CompletionDefaultFlag, &key)
	server.next()
	var param dat.RMRParam
	dat.RMRQuery(rmr, dat.RMRFieldAll|dat.RMRFieldRMRScope, &param)
	fmt.Println(ret == dat.Success, param.RMRScope == dat.RMRScopeEP)
	// The client's answer takes the key back.
	into, iov := [1]dat.LMRTriplet{server.segment(64, 64)}, [1]dat.LMRTriplet{client.segment(0, 4)}
	dat.EPPostRecv(server.ep, 1, into[:], dat.DTOCookie{}, dat.CompletionDefaultFlag)
	ret = dat.EPPostSendWithInvalidate(client.ep, 1, iov[:], dat.DTOCookie{}, dat.CompletionDefaultFlag, dat.True, key)
	dto := server.next().EventData.DTOCompletionEventData
	fmt.Println(ret == dat.Success, dto.Operation == dat.DTOReceiveWithInvalidate, dto.RMRContext == key)
	// Output:
	// true true
	// true true true
}

func ExampleEPPostRDMAReadToRMR() {
	server, client, done := examplePair()
	defer done()
	var rmr dat.RMRHandle
	dat.RMRCreate(client.pz, &rmr)
	part := client.segment(0, 8)
	local := dat.RMRTriplet{TargetAddress: part.VirtualAddress, SegmentLength: part.SegmentLength}
	dat.RMRBind(rmr, &part, dat.MemPrivAllFlag, client.ep, dat.RMRCookie{}, dat.CompletionDefaultFlag, &local.RMRContext)
	client.next()
	remote := server.remote(0, 8)
	ret := dat.EPPostRDMAReadToRMR(client.ep, &local, dat.DTOCookie{}, &remote, dat.CompletionDefaultFlag)
	fmt.Println(ret == dat.Success, client.next().EventData.DTOCompletionEventData.Status == dat.DTOSuccess)
	// Output: true true
}
