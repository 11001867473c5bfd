package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestExtensionOpMakesTheCall tests the one call that all extensions share in C.
func TestExtensionOpMakesTheCall(t *testing.T) {
	if !atomics(limits().Caps) {
		t.Skip("there are no atomics")
	}
	passive, active := pair(t, usual)
	word, result := passive.mem.remote(0, 8), &active.mem.iov(64, 8)[0]
	for _, n := range []any{5, uint64(5), int8(5), dat.Count(5)} {
		ok(t, dat.ExtensionOp(active.ep, dat.IBFetchAndAddOp, n, result, num(7), word, 0))
		if d := completion(t, active.req, dat.DTOSuccess); d.Operation != dat.IBDTOFetchAdd || d.UserCookie != num(7) {
			t.Errorf("%+v", d)
		}
	}
	ok(t, dat.ExtensionOp(active.ep, dat.IBCmpAndSwapOp, 20, 3, result, num(8), word, dat.CompletionDefaultFlag))
	completion(t, active.req, dat.DTOSuccess)
	if got := passive.mem.b[0]; got != 3 {
		t.Errorf("the word is %d", got)
	}
	ok(t, dat.ExtensionOp(passive.ep, dat.IBRDMAWriteImmedOp, 0, nil, num(9), active.mem.remote(0, 0), 77, 0))
	ok(t, dat.EPPostRecv(active.ep, 0, nil, num(10), 0))
	if ev := next(t, active.recv); ev.EventExtensionData.ImmedData != 77 {
		t.Errorf("%+v", ev.EventExtensionData)
	}
}

func TestExtensionOpChecksItsArguments(t *testing.T) {
	_, active := pair(t, usual)
	iov, rmr := &active.mem.iov(0, 8)[0], active.mem.remote(0, 8)
	for what, c := range map[string]struct {
		ret dat.Return
		typ dat.Return
		sub dat.Return
	}{
		"too few":      {dat.ExtensionOp(active.ep, dat.IBFetchAndAddOp, 1, iov, num(1), rmr), dat.InvalidParameter, dat.InvalidArg7},
		"too many":     {dat.ExtensionOp(active.ep, dat.IBFetchAndAddOp, 1, iov, num(1), rmr, 0, 0), dat.InvalidParameter, dat.InvalidArg8},
		"a value":      {dat.ExtensionOp(active.ep, dat.IBFetchAndAddOp, 1, *iov, num(1), rmr, 0), dat.InvalidParameter, dat.InvalidArg4},
		"no number":    {dat.ExtensionOp(active.ep, dat.IBFetchAndAddOp, "1", iov, num(1), rmr, 0), dat.InvalidParameter, dat.InvalidArg3},
		"negative":     {dat.ExtensionOp(active.ep, dat.IBFetchAndAddOp, -1, iov, num(1), rmr, 0), dat.InvalidParameter, dat.InvalidArg3},
		"too large":    {dat.ExtensionOp(active.ep, dat.IBRDMAWriteImmedOp, 1, nil, num(1), rmr, int64(1)<<32, 0), dat.InvalidParameter, dat.InvalidArg7},
		"nil struct":   {dat.ExtensionOp(active.ep, dat.IBFetchAndAddOp, 1, iov, nil, rmr, 0), dat.InvalidParameter, dat.InvalidArg5},
		"nil segment":  {dat.ExtensionOp(active.ep, dat.IBFetchAndAddOp, 1, nil, num(1), rmr, 0), dat.InvalidParameter, dat.InvalidArg3},
		"another kind": {dat.ExtensionOp(active.pz, dat.IBFetchAndAddOp, 1, iov, num(1), rmr, 0), dat.InvalidHandle, dat.InvalidHandleEP},
		"no handle":    {dat.ExtensionOp(dat.HandleNull, dat.IBFetchAndAddOp, 1, iov, num(1), rmr, 0), dat.InvalidHandle, dat.InvalidHandle1},
		"unknown":      {dat.ExtensionOp(active.ep, 999), dat.NotImplemented, 0},
	} {
		t.Run(what, func(t *testing.T) { want(t, c.ret, c.typ, c.sub) })
	}
	empty(t, active.req)
}

// TestEveryOperationHasItsCall looks for an entry for each operation of the table.
func TestEveryOperationHasItsCall(t *testing.T) {
	s := newSide(t, usual, nil)
	var ia dat.IAHandle
	var attr dat.IAAttr
	ok(t, dat.ExtensionOp(dat.HandleNull, dat.IBOpenQueryOp, usual, &ia, dat.IAFieldAll, &attr, 0, nil))
	if attr.AdapterName != usual {
		t.Errorf("%+v", attr)
	}
	ok(t, dat.ExtensionOp(ia, dat.IBCloseQueryOp))
	want(t, dat.ExtensionOp(ia, dat.IBCloseQueryOp), dat.InvalidHandle)
	// The group's dispatcher is the handle, and comes last but two in the call.
	want(t, dat.ExtensionOp(s.req, dat.IBCollectiveCreateGroupOp, nil, 0, 0, 1, nil, s.pz, num(1)), dat.NotImplemented)
	for op := range dat.IBUDAHFreeOp + 1 {
		// One argument too many for any of them.
		many := make([]any, 20)
		if ret := dat.ExtensionOp(s.ep, op, many...); ret.Type() != dat.InvalidParameter {
			t.Errorf("%v: %v", op, ret)
		}
	}
}

// TestTooManyArguments: the eleventh argument and later ones have no number in uDAPL.
func TestTooManyArguments(t *testing.T) {
	s := newSide(t, usual, nil)
	var b []byte
	args := []any{b, 0, b, 0, dat.IBCollectiveReduceDataOp(0), dat.IBCollectiveDataType(0), dat.IBCollectiveRank(0), dat.Context{}, dat.CompletionFlags(0)}
	want(t, dat.ExtensionOp(s.ep, dat.IBCollectiveReduceOp, args...), dat.NotImplemented)
	for range 3 {
		args = append(args, 0)
		if ret := dat.ExtensionOp(s.ep, dat.IBCollectiveReduceOp, args...); ret != dat.ClassError|dat.InvalidParameter {
			t.Errorf("%d arguments: %v", len(args), ret)
		}
	}
}
