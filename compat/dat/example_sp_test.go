package dat_test

import (
	"fmt"
	"net"

	"github.com/godapl/godapl/compat/dat"
)

func ExamplePSPHandle() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var psp dat.PSPHandle
	ret := dat.PSPCreate(s.ia, 45248, s.evd, dat.PSPConsumerFlag, &psp)
	fmt.Println(ret == dat.Success)
	ret = dat.PSPFree(psp)
	fmt.Println(ret == dat.Success)
	// Output:
	// true
	// true
}

func ExampleConnQual() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var qual dat.ConnQual
	var psp dat.PSPHandle
	ret := dat.PSPCreateAny(s.ia, &qual, s.evd, dat.PSPConsumerFlag, &psp)
	fmt.Println(ret == dat.Success, qual != 0)
	ret = dat.PSPCreate(s.ia, qual, s.evd, dat.PSPConsumerFlag, &psp)
	fmt.Println(ret.Type() == dat.ConnQualInUse)
	// Output:
	// true true
	// true
}

func ExamplePSPParam() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var psp dat.PSPHandle
	dat.PSPCreate(s.ia, 45250, s.evd, dat.PSPConsumerFlag, &psp)
	var param dat.PSPParam
	ret := dat.PSPQuery(psp, dat.PSPFieldAll, &param)
	fmt.Println(ret == dat.Success, param.ConnQual, param.EVDHandle == s.evd)
	// Output: true 45250 true
}

func ExamplePSPParamMask() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var psp dat.PSPHandle
	dat.PSPCreate(s.ia, 45251, s.evd, dat.PSPConsumerFlag, &psp)
	var param dat.PSPParam
	ret := dat.PSPQuery(psp, dat.PSPFieldConnQual, &param)
	fmt.Println(ret == dat.Success, param.ConnQual)
	// Output: true 45251
}

func ExamplePSPFlags() {
	server, client := newExampleSide(), newExampleSide()
	defer dat.IAClose(server.ia, dat.CloseAbruptFlag)
	defer dat.IAClose(client.ia, dat.CloseAbruptFlag)
	var psp dat.PSPHandle
	dat.PSPCreate(server.ia, 45252, server.evd, dat.PSPProviderFlag, &psp)
	client.connect(45252)
	cr := server.next().EventData.CRArrivalEventData.CRHandle
	var request dat.CRParam
	dat.CRQuery(cr, dat.CRFieldLocalEPHandle, &request)
	// The endpoint came with the request, and has neither zone nor dispatchers.
	param := dat.EPParam{PZHandle: server.pz, RecvEVDHandle: server.evd, RequestEVDHandle: server.evd, ConnectEVDHandle: server.evd}
	ret := dat.EPModify(request.LocalEPHandle, dat.EPFieldPZHandle|dat.EPFieldRecvEVDHandle|dat.EPFieldRequestEVDHandle|dat.EPFieldConnectEVDHandle, &param)
	fmt.Println(ret == dat.Success)
	ret = dat.CRAccept(cr, dat.HandleNull, 0, nil)
	fmt.Println(ret == dat.Success, server.next().EventNumber == dat.ConnectionEventEstablished)
	// Output:
	// true
	// true true
}

// connect asks for a connection to a service of this host.
func (s *exampleSide) connect(qual dat.ConnQual) dat.Return {
	return dat.EPConnect(s.ep, &net.IPAddr{IP: net.IPv4(127, 0, 0, 1)}, qual, dat.TimeoutInfinite, 0, nil, dat.QOSBestEffort, dat.ConnectDefaultFlag)
}

func ExampleRSPHandle() {
	server, client := newExampleSide(), newExampleSide()
	defer dat.IAClose(server.ia, dat.CloseAbruptFlag)
	defer dat.IAClose(client.ia, dat.CloseAbruptFlag)
	var rsp dat.RSPHandle
	ret := dat.RSPCreate(server.ia, 45253, server.ep, server.evd, &rsp)
	fmt.Println(ret == dat.Success)
	client.connect(45253)
	event := server.next()
	ret = dat.CRAccept(event.EventData.CRArrivalEventData.CRHandle, dat.HandleNull, 0, nil)
	fmt.Println(ret == dat.Success, server.next().EventData.ConnectEventData.EPHandle == server.ep)
	ret = dat.RSPFree(rsp)
	fmt.Println(ret == dat.Success)
	// Output:
	// true
	// true true
	// true
}

func ExampleRSPParam() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var rsp dat.RSPHandle
	dat.RSPCreate(s.ia, 45254, s.ep, s.evd, &rsp)
	var param dat.RSPParam
	ret := dat.RSPQuery(rsp, dat.RSPFieldAll, &param)
	fmt.Println(ret == dat.Success, param.ConnQual, param.EPHandle == s.ep)
	// Output: true 45254 true
}

func ExampleRSPParamMask() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var rsp dat.RSPHandle
	dat.RSPCreate(s.ia, 45255, s.ep, s.evd, &rsp)
	var param dat.RSPParam
	ret := dat.RSPQuery(rsp, dat.RSPFieldEPHandle, &param)
	fmt.Println(ret == dat.Success, param.EPHandle == s.ep)
	// Output: true true
}
