package dat_test

import (
	"fmt"

	"github.com/godapl/godapl/compat/dat"
)

// exampleQueue is a shared receive queue.
func exampleQueue(s *exampleSide) (srq dat.SRQHandle) {
	dat.SRQCreate(s.ia, s.pz, &dat.SRQAttr{MaxRecvDTOS: 64, MaxRecvIOV: 1}, &srq)
	return srq
}

func ExampleSRQHandle() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var srq dat.SRQHandle
	attr := dat.SRQAttr{MaxRecvDTOS: 64, MaxRecvIOV: 1}
	ret := dat.SRQCreate(s.ia, s.pz, &attr, &srq)
	iov := [1]dat.LMRTriplet{s.segment(0, 64)}
	ret = dat.SRQPostRecv(srq, 1, iov[:], dat.DTOCookie{As64: 1})
	fmt.Println(ret == dat.Success)
	ret = dat.SRQResize(srq, 128)
	ret = dat.SRQSetLW(srq, 1)
	fmt.Println(ret == dat.Success)

	var param dat.EPParam
	dat.EPQuery(s.ep, dat.EPFieldAll, &param)
	var ep dat.EPHandle
	ret = dat.EPCreateWithSRQ(s.ia, s.pz, s.evd, s.evd, s.evd, srq, &param.EPAttr, &ep)
	fmt.Println(ret == dat.Success)
	dat.EPFree(ep)
	ret = dat.SRQFree(srq)
	fmt.Println(ret == dat.Success)
	// Output:
	// true
	// true
	// true
	// true
}

func ExampleSRQParam() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	srq := exampleQueue(s)
	var param dat.SRQParam
	ret := dat.SRQQuery(srq, dat.SRQFieldAll, &param)
	fmt.Println(ret == dat.Success, param.MaxRecvDTOS, param.AvailableDTOCount)
	// Output: true 64 0
}

func ExampleSRQParamMask() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	srq := exampleQueue(s)
	var param dat.SRQParam
	ret := dat.SRQQuery(srq, dat.SRQFieldOutstandingDTOCount, &param)
	fmt.Println(ret == dat.Success, param.OutstandingDTOCount)
	// Output: true 0
}

func ExampleSRQState() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	srq := exampleQueue(s)
	var param dat.SRQParam
	dat.SRQQuery(srq, dat.SRQFieldSRQState, &param)
	fmt.Println(param.SRQState == dat.SRQStateOperational)
	// Output: true
}
