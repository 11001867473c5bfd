package dat_test

import (
	"errors"
	"fmt"
	"net"

	"github.com/godapl/godapl/compat/dat"
)

// exampleSide is common to both sides of the examples.
type exampleSide struct {
	ia         dat.IAHandle
	async      dat.EVDHandle
	pz         dat.PZHandle
	evd        dat.EVDHandle // for everything
	ep         dat.EPHandle
	buffer     []byte
	lmr        dat.LMRHandle
	lmrContext dat.LMRContext
	rmrContext dat.RMRContext
}

func newExampleSide() *exampleSide {
	var s exampleSide
	dat.IAOpen("soft-loop", 8, &s.async, &s.ia)
	dat.PZCreate(s.ia, &s.pz)
	dat.EVDCreate(s.ia, 64, dat.HandleNull, dat.EVDDefaultFlag|dat.EVDSoftwareFlag, &s.evd)
	dat.EPCreate(s.ia, s.pz, s.evd, s.evd, s.evd, nil, &s.ep)
	s.buffer = make([]byte, 4096)
	dat.LMRCreate(s.ia, dat.MemTypeVirtual, dat.RegionDescription{ForVA: s.buffer}, 4096, s.pz, dat.MemPrivAllFlag,
		&s.lmr, &s.lmrContext, &s.rmrContext, nil, nil)
	return &s
}

func (s *exampleSide) next() (event dat.Event) {
	var nmore dat.Count
	dat.EVDWait(s.evd, dat.TimeoutInfinite, 1, &event, &nmore)
	return event
}

// exampleHost is where the sides are.
var exampleHost = &net.IPAddr{IP: net.IPv4(127, 0, 0, 1)}

// segment is a part of the buffer, for posts; remote is its description for peers.
func (s *exampleSide) segment(off, n int) dat.LMRTriplet {
	return dat.LMRTriplet{LMRContext: s.lmrContext, VirtualAddress: dat.VaddrOf(s.buffer) + dat.Vaddr(off), SegmentLength: dat.Vlen(n)}
}

func (s *exampleSide) remote(off, n int) dat.RMRTriplet {
	return dat.RMRTriplet{RMRContext: s.rmrContext, TargetAddress: dat.VaddrOf(s.buffer) + dat.Vaddr(off), SegmentLength: dat.Vlen(n)}
}

func examplePair() (server, client *exampleSide, done func()) {
	server, client = newExampleSide(), newExampleSide()
	var psp dat.PSPHandle
	var qual dat.ConnQual
	dat.PSPCreateAny(server.ia, &qual, server.evd, dat.PSPConsumerFlag, &psp)
	dat.EPConnect(client.ep, &net.IPAddr{IP: net.IPv4(127, 0, 0, 1)}, qual, dat.TimeoutInfinite, 0, nil, dat.QOSBestEffort, dat.ConnectDefaultFlag)
	cr := server.next().EventData.CRArrivalEventData.CRHandle
	dat.CRAccept(cr, server.ep, 0, nil)
	server.next()
	client.next()
	return server, client, func() {
		dat.IAClose(client.ia, dat.CloseAbruptFlag)
		dat.IAClose(server.ia, dat.CloseAbruptFlag)
	}
}

// A write of the peer's memory, as a C program has it.
func Example() {
	server, client, done := examplePair()
	defer done()
	copy(client.buffer, "written from afar")

	iov := [1]dat.LMRTriplet{{LMRContext: client.lmrContext, VirtualAddress: dat.VaddrOf(client.buffer), SegmentLength: 17}}
	rmr := dat.RMRTriplet{RMRContext: server.rmrContext, TargetAddress: dat.VaddrOf(server.buffer), SegmentLength: 17}
	cookie := dat.DTOCookie{As64: 42}
	ret := dat.EPPostRDMAWrite(client.ep, 1, iov[:], cookie, &rmr, dat.CompletionDefaultFlag)
	if ret != dat.Success {
		fmt.Println(ret)
		return
	}
	var event dat.Event
	var nmore dat.Count
	ret = dat.EVDWait(client.evd, dat.TimeoutInfinite, 1, &event, &nmore)
	if ret != dat.Success {
		fmt.Println(ret)
		return
	}
	dto := event.EventData.DTOCompletionEventData
	fmt.Println(event.EventNumber == dat.DTOCompletionEvent, dto.Status == dat.DTOSuccess, dto.UserCookie.As64)
	fmt.Printf("%s\n", server.buffer[:dto.TransferedLength])
	// Output:
	// true true 42
	// written from afar
}

func ExampleReturn() {
	ret := dat.EVDFree(dat.HandleNull)
	fmt.Println(ret.Type() == dat.InvalidHandle, errors.Is(ret, dat.InvalidHandle))
	var major, minor string
	dat.StrError(ret, &major, &minor)
	fmt.Println(major, minor)
	fmt.Println(dat.ClassError | dat.QueueFull)
	// Output:
	// true true
	// DAT_INVALID_HANDLE DAT_INVALID_HANDLE1
	// DAT_QUEUE_FULL: the dispatcher has no room; take events, or EVDResize
}

func ExampleGetType() {
	ret := dat.EVDFree(dat.HandleNull)
	if dat.GetType(ret) == dat.InvalidHandle {
		fmt.Println("no such dispatcher")
	}
	fmt.Printf("%#x %t\n", uint32(dat.GetSubtype(ret)), dat.IsWarning(ret))
	// Output:
	// no such dispatcher
	// 0x1a false
}

func ExampleHandle() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var kind dat.HandleType
	dat.GetHandleType(s.ep, &kind)
	fmt.Println(kind == dat.HandleTypeEP)
	dat.EPFree(s.ep)
	fmt.Println(dat.GetHandleType(s.ep, &kind).Type() == dat.InvalidHandle)
	// Output:
	// true
	// true
}

func ExampleContext() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	dat.SetConsumerContext(s.ep, dat.Context{AsPtr: s}) // in C: a pointer
	var context dat.Context
	dat.GetConsumerContext(s.ep, &context)
	fmt.Println(context.AsPtr.(*exampleSide).ep == s.ep)
	// Output: true
}

func ExampleEvent() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var event dat.Event
	event.EventNumber = dat.SoftwareEvent
	event.EventData.SoftwareEventData.Pointer = "my own"
	dat.EVDPostSE(s.evd, &event)
	fmt.Println(s.next().EventData.SoftwareEventData.Pointer)
	// Output: my own
}

func ExampleOsWaitProxyAgent() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	called := make(chan bool)
	agent := dat.OsWaitProxyAgent{InstanceData: "data", ProxyAgentFunc: func(instanceData dat.Pvoid, evd dat.EVDHandle) {
		called <- instanceData == "data" && evd == s.evd
	}}
	var cno dat.CNOHandle
	dat.CNOCreate(s.ia, agent, &cno)
	dat.EVDModifyCNO(s.evd, cno)
	dat.EVDPostSE(s.evd, &dat.Event{EventNumber: dat.SoftwareEvent})
	fmt.Println(<-called)
	// Output: true
}

func ExampleProvider() {
	provider := &dat.Provider{DeviceName: "soft-loop"}
	info := &dat.ProviderInfo{IAName: "my-ia", DaplVersionMajor: 1, DaplVersionMinor: 2}
	dat.RegistryAddProvider(provider, info)
	var async dat.EVDHandle
	var ia dat.IAHandle
	fmt.Println(dat.IAOpen("my-ia", 8, &async, &ia) == dat.Success)
	fmt.Println(dat.RegistryRemoveProvider(provider, info).Type() == dat.ProviderInUse)
	dat.IAClose(ia, dat.CloseGracefulFlag)
	fmt.Println(dat.RegistryRemoveProvider(provider, info) == dat.Success)
	// Output:
	// true
	// true
	// true
}

func ExampleIAAttr() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var attr dat.IAAttr
	var provider dat.ProviderAttr
	dat.IAQuery(s.ia, nil, dat.IAFieldAll, &attr, dat.ProviderFieldAll, &provider)
	fmt.Println(attr.AdapterName, attr.MaxDTOPerEP > 0, provider.MaxPrivateDataSize >= 64)
	// Output: soft-loop true true
}

func ExampleEPAttr() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var param dat.EPParam
	dat.EPQuery(s.ep, dat.EPFieldAll, &param)
	param.EPAttr.MaxRecvDTOS = 128
	dat.EPModify(s.ep, dat.EPFieldEPAttrMaxRecvDTOS, &param)
	dat.EPQuery(s.ep, dat.EPFieldAll, &param)
	fmt.Println(param.EPState == dat.EPStateUnconnected, param.EPAttr.MaxRecvDTOS)
	// Output: true 128
}

func ExampleRMRTriplet() {
	server, client, done := examplePair()
	defer done()
	// The server lends a part of its memory.
	var rmr dat.RMRHandle
	dat.RMRCreate(server.pz, &rmr)
	part := dat.LMRTriplet{LMRContext: server.lmrContext, VirtualAddress: dat.VaddrOf(server.buffer) + 100, SegmentLength: 8}
	var key dat.RMRContext
	dat.RMRBind(rmr, &part, dat.MemPrivRemoteReadFlag, server.ep, dat.RMRCookie{}, dat.CompletionDefaultFlag, &key)
	fmt.Println(server.next().EventNumber == dat.RMRBindCompletionEvent)
	// The client reads it.
	copy(server.buffer[100:], "borrowed")
	from := dat.RMRTriplet{RMRContext: key, TargetAddress: part.VirtualAddress, SegmentLength: part.SegmentLength}
	iov := [1]dat.LMRTriplet{{LMRContext: client.lmrContext, VirtualAddress: dat.VaddrOf(client.buffer), SegmentLength: 8}}
	dat.EPPostRDMARead(client.ep, 1, iov[:], dat.DTOCookie{}, &from, dat.CompletionDefaultFlag)
	client.next()
	fmt.Printf("%s\n", client.buffer[:8])
	// Output:
	// true
	// borrowed
}

func ExampleSRQAttr() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var srq dat.SRQHandle
	dat.SRQCreate(s.ia, s.pz, &dat.SRQAttr{MaxRecvDTOS: 64, MaxRecvIOV: 1}, &srq)
	iov := [1]dat.LMRTriplet{{LMRContext: s.lmrContext, VirtualAddress: dat.VaddrOf(s.buffer), SegmentLength: 64}}
	dat.SRQPostRecv(srq, 1, iov[:], dat.DTOCookie{As64: 1})
	var param dat.SRQParam
	dat.SRQQuery(srq, dat.SRQFieldAll, &param)
	fmt.Println(param.MaxRecvDTOS, param.AvailableDTOCount, param.OutstandingDTOCount)
	// Output: 64 1 1
}

func ExampleComm() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	const afInet, sockStream = 2, 1
	var csp dat.CSPHandle
	address := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 45249}
	ret := dat.CSPCreate(s.ia, &dat.Comm{Domain: afInet, Type: sockStream}, address, s.evd, &csp)
	fmt.Println(ret == dat.Success)
	ret = dat.CSPCreate(s.ia, &dat.Comm{Domain: 99}, address, s.evd, &csp)
	fmt.Println(ret.Type() == dat.CommNotSupported)
	// Output:
	// true
	// true
}
