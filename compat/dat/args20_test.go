package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestArgumentsOf20: the forms of 2.0 number their own arguments, and a region of another open adapter is no
// handle for a bind.
func TestArgumentsOf20(t *testing.T) {
	s := newSide(t, usual, nil)
	want(t, dat.LMRCreate20(s.ia, dat.MemTypeVirtual, dat.RegionDescription{ForVA: s.mem.b}, 8, s.pz, allPriv, dat.VATypeVA, nil, nil, nil, nil, nil),
		dat.InvalidParameter, dat.InvalidArg8)
	want(t, dat.LMRCreate20(s.ia, dat.MemTypeVirtual, dat.RegionDescription{ForVA: s.mem.b}, 8, s.pz, allPriv, 7, nil, nil, nil, nil, nil),
		dat.InvalidParameter, dat.InvalidArg7)
	needs(t, "windows", windows)
	mine, theirs := pair(t, usual)
	var w dat.RMRHandle
	ok(t, dat.RMRCreate(mine.pz, &w))
	want(t, dat.RMRBind20(w, theirs.mem.lmr, &theirs.mem.iov(0, 8)[0], dat.MemPrivRemoteReadFlag, dat.VATypeVA, mine.ep, num(1), 0, nil),
		dat.InvalidHandle, dat.InvalidHandleLMR)
	ok(t, dat.RMRBind20(w, mine.mem.lmr, &mine.mem.iov(0, 8)[0], dat.MemPrivRemoteReadFlag, dat.VATypeVA, mine.ep, num(1), 0, nil))
	expect(t, mine.req, dat.RMRBindCompletionEvent)
}

// TestAnEmptyTripletOfAWindow: the key and the address of a triplet of length 0 are not looked at.
func TestAnEmptyTripletOfAWindow(t *testing.T) {
	_, active := pair(t, usual)
	empty := &dat.RMRTriplet{RMRContext: 0xBAD, TargetAddress: 1}
	ok(t, dat.EPPostRDMAReadToRMR(active.ep, empty, num(4), empty, 0))
	if c := completion(t, active.req, dat.DTOSuccess); c.UserCookie != num(4) || c.Operation != dat.DTORDMARead {
		t.Fatalf("%+v", c)
	}
}
