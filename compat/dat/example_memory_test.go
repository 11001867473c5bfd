package dat_test

import (
	"fmt"

	"github.com/godapl/godapl/compat/dat"
)

func ExamplePZHandle() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var pz dat.PZHandle
	ret := dat.PZCreate(s.ia, &pz)
	fmt.Println(ret == dat.Success)
	ret = dat.PZFree(pz)
	fmt.Println(ret == dat.Success)
	// Output:
	// true
	// true
}

func ExamplePZParam() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var param dat.PZParam
	ret := dat.PZQuery(s.pz, dat.PZFieldAll, &param)
	fmt.Println(ret == dat.Success, param.IAHandle == s.ia)
	// Output: true true
}

func ExamplePZParamMask() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var param dat.PZParam
	ret := dat.PZQuery(s.pz, dat.PZFieldIAHandle, &param)
	fmt.Println(ret == dat.Success, param.IAHandle == s.ia)
	// Output: true true
}

func ExampleLMRHandle() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	buffer := make([]byte, 4096) // in C: malloc
	var region dat.RegionDescription
	var lmr dat.LMRHandle
	var lmrContext dat.LMRContext
	var rmrContext dat.RMRContext
	var size dat.Vlen
	var address dat.Vaddr
	region.ForVA = buffer
	ret := dat.LMRCreate(s.ia, dat.MemTypeVirtual, region, 4096, s.pz, dat.MemPrivAllFlag, &lmr, &lmrContext, &rmrContext, &size, &address)
	fmt.Println(ret == dat.Success, size, address == dat.VaddrOf(buffer))
	ret = dat.LMRFree(lmr)
	fmt.Println(ret == dat.Success)
	// Output:
	// true 4096 true
	// true
}

func ExampleRegionDescription() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	// A union in C; here the member that the memory type wants.
	region := dat.RegionDescription{ForVA: make([]byte, 64)}
	var lmr dat.LMRHandle
	ret := dat.LMRCreate10(s.ia, dat.MemTypeVirtual, region, 64, s.pz, dat.MemPrivLocalReadFlag, &lmr, nil, nil, nil)
	fmt.Println(ret == dat.Success)
	// Output: true
}

func ExampleMemType() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	// The same memory again, with fewer rights.
	var again dat.LMRHandle
	var key dat.RMRContext
	ret := dat.LMRCreate(s.ia, dat.MemTypeLMR, dat.RegionDescription{ForLMRHandle: s.lmr}, 0, s.pz, dat.MemPrivRemoteReadFlag, &again, nil, &key, nil, nil)
	fmt.Println(ret == dat.Success, key != s.rmrContext)
	// Output: true true
}

func ExampleMemPrivFlags() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var lmr dat.LMRHandle
	var key dat.RMRContext
	region := dat.RegionDescription{ForVA: make([]byte, 64)}
	ret := dat.LMRCreate(s.ia, dat.MemTypeVirtual, region, 64, s.pz, dat.MemPrivLocalReadFlag|dat.MemPrivLocalWriteFlag, &lmr, nil, &key, nil, nil)
	fmt.Println(ret == dat.Success, key) // nothing is a peer's
	// Output: true 0
}

func ExampleVAType() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	region := dat.RegionDescription{ForVA: make([]byte, 64)}
	var lmr dat.LMRHandle
	var key dat.LMRContext
	ret := dat.LMRCreate20(s.ia, dat.MemTypeVirtual, region, 64, s.pz, dat.MemPrivAllFlag, dat.VATypeVA, &lmr, &key, nil, nil, nil)
	fmt.Println(ret == dat.Success)
	ret = dat.LMRCreate20(s.ia, dat.MemTypeVirtual, region, 64, s.pz, dat.MemPrivAllFlag, dat.VATypeZB, &lmr, &key, nil, nil, nil)
	fmt.Println(ret.Type() == dat.ModelNotSupported)
	// Output:
	// true
	// true
}

func ExampleLMRParam() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var param dat.LMRParam
	ret := dat.LMRQuery(s.lmr, dat.LMRFieldAll, &param)
	fmt.Println(ret == dat.Success, param.Length, param.MemPriv == dat.MemPrivAllFlag)
	// Output: true 4096 true
}

func ExampleLMRParamMask() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var param dat.LMRParam
	ret := dat.LMRQuery(s.lmr, dat.LMRFieldLMRContext|dat.LMRFieldRMRContext, &param)
	fmt.Println(ret == dat.Success, param.LMRContext == s.lmrContext, param.RMRContext == s.rmrContext)
	// Output: true true true
}

func ExampleLMRContext() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	iov := [1]dat.LMRTriplet{{LMRContext: s.lmrContext, VirtualAddress: dat.VaddrOf(s.buffer), SegmentLength: 64}}
	ret := dat.LMRSyncRDMARead(s.ia, iov[:], 1) // before a peer reads memory that was written here
	fmt.Println(ret == dat.Success)
	ret = dat.LMRSyncRDMAWrite(s.ia, iov[:], 1) // before memory that a peer has written is read here
	fmt.Println(ret == dat.Success)
	// Output:
	// true
	// true
}

func ExampleRMRContext() {
	server, client, done := examplePair()
	defer done()
	copy(server.buffer, "lent")
	var key dat.RMRContext = server.rmrContext // peers get it in a message, or as private data
	rmr := dat.RMRTriplet{RMRContext: key, TargetAddress: dat.VaddrOf(server.buffer), SegmentLength: 4}
	iov := [1]dat.LMRTriplet{client.segment(0, 4)}
	dat.EPPostRDMARead(client.ep, 1, iov[:], dat.DTOCookie{}, &rmr, dat.CompletionDefaultFlag)
	client.next()
	fmt.Printf("%s\n", client.buffer[:4])
	// Output: lent
}

func ExampleVaddr() {
	buffer := make([]byte, 64)
	var address dat.Vaddr = dat.VaddrOf(buffer) // in C: (DAT_VADDR)(uintptr_t)buffer
	fmt.Println(dat.VaddrOf(buffer[16:]) - address)
	// Output: 16
}

func ExampleVlen() {
	buffer := make([]byte, 64)
	var n dat.Vlen = dat.Vlen(len(buffer))
	fmt.Println(n)
	// Output: 64
}

func ExamplePaddr() {
	var p dat.Paddr // of the kernel interface: no call here takes one
	fmt.Println(p)
	// Output: 0
}

func ExampleSegLength() {
	var n dat.SegLength = 64 // 2.0's lengths of segments; here they are a Vlen
	fmt.Println(dat.LMRTriplet{SegmentLength: dat.Vlen(n)}.SegmentLength)
	// Output: 64
}
