package dat

import "reflect"

// ExtensionOp is the call with variable arguments (dat_extension_op, 2.0). operation
// selects a call of the InfiniBand extension, and args are that call's arguments after
// the handle: [IBFetchAndAddOp] is [IBPostFetchAndAdd]. For [IBOpenQueryOp] datHandle
// is null. An argument of a wrong type is [InvalidParameter]; numbers may have any
// integer type, and nil is allowed for a pointer or a slice. An unknown operation is
// [NotImplemented]. Programs in Go should call the functions: this one looks up types
// and allocates.
func ExtensionOp[H AnyHandle](datHandle H, operation ExtendedOp, args ...any) Return {
	x, ok := extensions[operation]
	switch {
	case x.handle >= 0 && find(Handle(datHandle)) == nil:
		return failure(InvalidHandle, InvalidHandle1)
	case !ok:
		return notImplemented
	}
	return x.apply(Handle(datHandle), args)
}

// extension is a call that ExtensionOp stands for.
type extension struct {
	call   any // the function
	handle int // which of its arguments the handle is; -1: it has none
}

var extensions = map[ExtendedOp]extension{
	IBFetchAndAddOp:    {IBPostFetchAndAdd, 0},
	IBCmpAndSwapOp:     {IBPostCmpAndSwap, 0},
	IBRDMAWriteImmedOp: {IBPostRDMAWriteImmed, 0},
	IBUDSendOp:         {IBPostSendUD, 0},
	IBUDCMFreeOp:       {IBUDCMFree, 0},
	IBUDAHFreeOp:       {IBUDAHFree, 0},
	IBQueryCountersOp:  {IBQueryCounters[Handle], 0},
	IBPrintCountersOp:  {IBPrintCounters[Handle], 0},
	IBStartCountersOp:  {IBStartCounter, 0},
	IBStopCountersOp:   {IBStopCounter, 0},
	IBOpenQueryOp:      {IBOpenQuery, -1},
	IBCloseQueryOp:     {IBCloseQuery, 0},

	IBCollectiveCreateMemberOp:  {IBCollectiveCreateMember, 0},
	IBCollectiveFreeMemberOp:    {IBCollectiveFreeMember, 0},
	IBCollectiveCreateGroupOp:   {IBCollectiveCreateGroup, 5}, // the dispatcher
	IBCollectiveFreeGroupOp:     {IBCollectiveFreeGroup, 0},
	IBCollectiveSetClockOp:      {IBCollectiveSetClock, 0},
	IBCollectiveReadClockOp:     {IBCollectiveReadClock, 0},
	IBCollectiveScatterOp:       {IBCollectiveScatter, 0},
	IBCollectiveScattervOp:      {IBCollectiveScatterv, 0},
	IBCollectiveGatherOp:        {IBCollectiveGather, 0},
	IBCollectiveGathervOp:       {IBCollectiveGatherv, 0},
	IBCollectiveAllgatherOp:     {IBCollectiveAllgather, 0},
	IBCollectiveAllgathervOp:    {IBCollectiveAllgatherv, 0},
	IBCollectiveAlltoallOp:      {IBCollectiveAlltoall, 0},
	IBCollectiveAlltoallvOp:     {IBCollectiveAlltoallv, 0},
	IBCollectiveReduceOp:        {IBCollectiveReduce, 0},
	IBCollectiveAllreduceOp:     {IBCollectiveAllreduce, 0},
	IBCollectiveReduceScatterOp: {IBCollectiveReduceScatter, 0},
	IBCollectiveScanOp:          {IBCollectiveScan, 0},
	IBCollectiveBroadcastOp:     {IBCollectiveBroadcast, 0},
	IBCollectiveBarrierOp:       {IBCollectiveBarrier, 0},
}

// firstVarying is which argument of ExtensionOp the first of args is.
const firstVarying = 3

// apply makes the call.
func (x extension) apply(h Handle, args []any) Return {
	call := reflect.ValueOf(x.call)
	typ := call.Type()
	var in []reflect.Value
	next := 0
	for i := range typ.NumIn() {
		if i == x.handle {
			in = append(in, reflect.ValueOf(h).Convert(typ.In(i)))
			continue
		}
		if next == len(args) {
			return badArg(firstVarying + next)
		}
		v, ok := fit(args[next], typ.In(i))
		if !ok {
			return badArg(firstVarying + next)
		}
		in = append(in, v)
		next++
	}
	if next < len(args) {
		return badArg(firstVarying + next)
	}
	return call.Call(in)[0].Interface().(Return)
}

// fit makes an argument of a type: as it is, or from a number that the type can hold,
// or from nil.
func fit(arg any, typ reflect.Type) (reflect.Value, bool) {
	v := reflect.ValueOf(arg)
	switch {
	case arg == nil:
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Interface:
			return reflect.Zero(typ), true
		}
		return v, false
	case v.Type().AssignableTo(typ):
		return v, true
	case isInteger(v.Kind()) && isInteger(typ.Kind()):
		n := v.Convert(typ)
		negative := v.CanInt() && v.Int() < 0
		return n, n.Convert(v.Type()).Equal(v) && negative == (n.CanInt() && n.Int() < 0)
	}
	return v, false
}

func isInteger(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Uint64 }
