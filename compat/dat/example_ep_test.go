package dat_test

import (
	"fmt"

	"github.com/godapl/godapl/compat/dat"
)

func ExampleEPHandle() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var ep dat.EPHandle
	ret := dat.EPCreate(s.ia, s.pz, s.evd, s.evd, s.evd, nil, &ep)
	fmt.Println(ret == dat.Success)
	ret = dat.EPFree(ep)
	fmt.Println(ret == dat.Success)
	ret = dat.EPCreate10(s.ia, s.pz, s.evd, s.evd, s.evd, dat.HandleNull, nil, &ep)
	fmt.Println(ret == dat.Success)
	// Output:
	// true
	// true
	// true
}

func ExampleEPParam() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var param dat.EPParam
	ret := dat.EPQuery(s.ep, dat.EPFieldAll, &param)
	fmt.Println(ret == dat.Success, param.PZHandle == s.pz, param.EPAttr.MaxRequestDTOS)
	// Output: true true 16
}

func ExampleEPParamMask() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var param dat.EPParam
	param.EPAttr.MaxRecvDTOS, param.EPAttr.MaxRequestDTOS = 100, 50
	ret := dat.EPModify(s.ep, dat.EPFieldEPAttrMaxRecvDTOS|dat.EPFieldEPAttrMaxRequestDTOS, &param)
	fmt.Println(ret == dat.Success)
	// Output: true
}

func ExampleEPState() {
	server, client, done := examplePair()
	defer done()
	var state dat.EPState
	var recvIdle, requestIdle dat.Boolean
	ret := dat.EPGetStatus(client.ep, &state, &recvIdle, &requestIdle)
	fmt.Println(ret == dat.Success, state == dat.EPStateConnected, recvIdle, requestIdle)

	ret = dat.EPDisconnect(client.ep, dat.CloseGracefulFlag)
	client.next() // dat.ConnectionEventDisconnected
	server.next()
	ret = dat.EPReset(client.ep)
	dat.EPGetStatus(client.ep, &state, nil, nil)
	fmt.Println(ret == dat.Success, state == dat.EPStateUnconnected)
	// Output:
	// true true true true
	// true true
}

func ExampleServiceType() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var ep dat.EPHandle
	attr := dat.EPAttr{ServiceType: dat.ServiceTypeRC, MaxMessageSize: 4096, MaxRecvDTOS: 8, MaxRecvIOV: 1, MaxRequestDTOS: 8, MaxRequestIOV: 1}
	ret := dat.EPCreate(s.ia, s.pz, dat.HandleNull, dat.HandleNull, s.evd, &attr, &ep)
	fmt.Println(ret == dat.Success)
	attr.ServiceType = dat.IBServiceTypeUD
	ret = dat.EPCreate(s.ia, s.pz, dat.HandleNull, dat.HandleNull, s.evd, &attr, &ep)
	fmt.Println(ret.Type() == dat.ModelNotSupported)
	// Output:
	// true
	// true
}

func ExampleQOS() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var address dat.IAAddressPtr = exampleHost
	ret := dat.EPConnect(s.ep, address, 45261, 1000000, 0, nil, dat.QOSPremium, dat.ConnectDefaultFlag)
	fmt.Println(ret.Type() == dat.ModelNotSupported) // only best effort is supported
	// Output: true
}

func ExampleConnectFlags() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	ret := dat.EPConnect(s.ep, exampleHost, 45261, 1000000, 0, nil, dat.QOSBestEffort, dat.ConnectMultipathFlag)
	fmt.Println(ret.Type() == dat.ModelNotSupported)
	ret = dat.EPConnect(s.ep, exampleHost, 45261, 1000000, 0, nil, dat.QOSBestEffort, dat.ConnectDefaultFlag)
	fmt.Println(ret == dat.Success, s.next().EventNumber == dat.ConnectionEventNonPeerRejected) // nothing listens
	// Output:
	// true
	// true true
}

func ExampleEPDupConnect() {
	server, client, done := examplePair()
	defer done()
	var second dat.EPHandle
	dat.EPCreate(client.ia, client.pz, client.evd, client.evd, client.evd, nil, &second)
	ret := dat.EPDupConnect(second, client.ep, dat.TimeoutInfinite, 0, nil, dat.QOSBestEffort)
	fmt.Println(ret == dat.Success, server.next().EventNumber == dat.ConnectionRequestEvent)
	// Output: true true
}

func ExampleEPRecvQuery() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	iov := [1]dat.LMRTriplet{s.segment(0, 64)}
	dat.EPPostRecv(s.ep, 1, iov[:], dat.DTOCookie{}, dat.CompletionDefaultFlag)
	var buffers, span dat.Count
	ret := dat.EPRecvQuery(s.ep, &buffers, &span)
	fmt.Println(ret == dat.Success, buffers)
	ret = dat.EPSetWatermark(s.ep, 8, dat.WatermarkInfinite)
	fmt.Println(ret == dat.Success)
	// Output:
	// true 1
	// true
}
