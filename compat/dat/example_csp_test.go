package dat_test

import (
	"fmt"
	"net"

	"github.com/godapl/godapl/compat/dat"
)

// listenCommon is a service point of 2.0 at a port of this host.
func listenCommon(s *exampleSide, port int) (csp dat.CSPHandle) {
	address := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}
	dat.CSPCreate(s.ia, &dat.Comm{Domain: 2, Type: 1}, address, s.evd, &csp)
	return csp
}

func ExampleCSPHandle() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	address := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 45256}
	var csp dat.CSPHandle
	ret := dat.CSPCreate(s.ia, &dat.Comm{Domain: 2, Type: 1}, address, s.evd, &csp) // AF_INET, SOCK_STREAM
	fmt.Println(ret == dat.Success)
	ret = dat.CSPFree(csp)
	fmt.Println(ret == dat.Success)
	// Output:
	// true
	// true
}

func ExampleCSPParam() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	csp := listenCommon(s, 45257)
	var param dat.CSPParam
	ret := dat.CSPQuery(csp, dat.CSPFieldAll, &param)
	fmt.Println(ret == dat.Success, param.AddressPtr)
	// Output: true 127.0.0.1:45257
}

func ExampleCSPParamMask() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	csp := listenCommon(s, 45258)
	var param dat.CSPParam
	ret := dat.CSPQuery(csp, dat.CSPFieldComm, &param)
	fmt.Println(ret == dat.Success, *param.Comm)
	// Output: true {2 1 0}
}

func ExampleSPHandle() {
	server, client := newExampleSide(), newExampleSide()
	defer dat.IAClose(server.ia, dat.CloseAbruptFlag)
	defer dat.IAClose(client.ia, dat.CloseAbruptFlag)
	csp := listenCommon(server, 45259)
	address := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 45259}
	ret := dat.EPCommonConnect(client.ep, address, dat.TimeoutInfinite, 0, nil)
	// A union in C: the member that is not null counts.
	var sp dat.SPHandle = server.next().EventData.CRArrivalEventData.SPHandle
	fmt.Println(ret == dat.Success, sp.CSPHandle == csp, sp.PSPHandle == dat.HandleNull)
	// Output: true true true
}
