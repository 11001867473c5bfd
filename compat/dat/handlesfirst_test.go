package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

const wrong = 77 // a handle that no object has

// TestHandlesAreCheckedFirst: a call with a wrong handle and another wrong argument tells the handle.
func TestHandlesAreCheckedFirst(t *testing.T) {
	s := newSide(t, usual, nil)
	var psp dat.PSPHandle
	create := func(ia dat.IAHandle, pz dat.PZHandle, va dat.VAType) dat.Return {
		return dat.LMRCreate20(ia, dat.MemTypeVirtual, dat.RegionDescription{ForVA: s.mem.b}, 8, pz, 0, va, nil, nil, nil, nil, nil)
	}
	want(t, create(wrong, s.pz, dat.VATypeZB), dat.InvalidHandle, dat.InvalidHandleIA)
	want(t, create(s.ia, wrong, 9), dat.InvalidHandle, dat.InvalidHandlePZ)
	want(t, create(s.ia, s.pz, 9), dat.InvalidParameter, dat.InvalidArg7)
	want(t, create(s.ia, s.pz, dat.VATypeVA), dat.InvalidParameter, dat.InvalidArg8)
	want(t, dat.PSPCreate(s.ia, 0, s.conn, dat.PSPConsumerFlag, &psp), dat.InvalidHandle, dat.InvalidHandleEVDCR)
	want(t, dat.PSPCreate(s.ia, 0, s.cr, dat.PSPConsumerFlag, &psp), dat.InvalidParameter, dat.InvalidArg2)
	want(t, dat.PSPCreateAny(s.ia, nil, s.conn, dat.PSPConsumerFlag, &psp), dat.InvalidHandle, dat.InvalidHandleEVDCR)
	want(t, dat.PSPCreateAny(s.ia, nil, s.cr, dat.PSPConsumerFlag, &psp), dat.InvalidParameter, dat.InvalidArg2)
	if limits().Caps.SharedReceive {
		var srq dat.SRQHandle
		var ep dat.EPHandle
		ok(t, dat.SRQCreate(s.ia, s.pz, &dat.SRQAttr{MaxRecvDTOS: 4, MaxRecvIOV: 1}, &srq))
		want(t, dat.EPCreateWithSRQ(s.ia, wrong, s.recv, s.req, s.conn, srq, nil, &ep), dat.InvalidHandle, dat.InvalidHandlePZ)
		want(t, dat.EPCreateWithSRQ(s.ia, s.pz, s.cr, s.req, s.conn, srq, nil, &ep), dat.InvalidHandle, dat.InvalidHandleEVDRecv)
		want(t, dat.EPCreateWithSRQ(s.ia, s.pz, s.recv, s.req, s.conn, srq, nil, &ep), dat.InvalidParameter, dat.InvalidArg7)
	}
}

// TestHandlesOfABindAreCheckedFirst is the same for binds.
func TestHandlesOfABindAreCheckedFirst(t *testing.T) {
	needs(t, "windows", windows)
	s := newSide(t, usual, nil)
	iov := s.mem.iov(0, 8)
	var rmr dat.RMRHandle
	var key dat.RMRContext
	ok(t, dat.RMRCreate(s.pz, &rmr))
	bind := func(rmr dat.RMRHandle, lmr dat.LMRHandle, ep dat.EPHandle) dat.Return {
		return dat.RMRBind20(rmr, lmr, &iov[0], dat.MemPrivAllFlag, dat.VATypeZB, ep, num(1), 0, &key)
	}
	want(t, bind(wrong, s.mem.lmr, s.ep), dat.InvalidHandle, dat.InvalidHandleRMR)
	want(t, bind(rmr, wrong, s.ep), dat.InvalidHandle, dat.InvalidHandleLMR)
	want(t, bind(rmr, s.mem.lmr, wrong), dat.InvalidHandle, dat.InvalidHandleEP)
	want(t, bind(rmr, s.mem.lmr, s.ep), dat.ModelNotSupported)
	iov[0].LMRContext ^= 1
	want(t, dat.RMRBind20(rmr, s.mem.lmr, &iov[0], dat.MemPrivAllFlag, dat.VATypeVA, wrong, num(1), 0, &key), dat.InvalidHandle, dat.InvalidHandleEP)
}
