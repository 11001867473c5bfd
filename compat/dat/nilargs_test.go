package dat_test

import (
	"context"
	"fmt"
	"go/types"
	"net"
	"reflect"
	"slices"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// takeNil are the calls that have an argument which can be nil.
var takeNil = map[string]any{
	"EPCommonConnect": dat.EPCommonConnect, "EPConnect": dat.EPConnect,
	"IBCollectiveFreeMember": dat.IBCollectiveFreeMember,
	"RegistryAddLibrary":     dat.RegistryAddLibrary,
	"CNOCreate":              dat.CNOCreate, "CNOFDCreate": dat.CNOFDCreate, "CNOQuery": dat.CNOQuery, "CNOTrigger": dat.CNOTrigger,
	"CNOWait": dat.CNOWait, "CNOWaitContext": dat.CNOWaitContext, "CRQuery": dat.CRQuery, "CSPCreate": dat.CSPCreate,
	"CSPQuery": dat.CSPQuery, "EPCreate": dat.EPCreate, "EPCreate10": dat.EPCreate10, "EPCreateWithSRQ": dat.EPCreateWithSRQ,
	"EPGetStatus": dat.EPGetStatus, "EPModify": dat.EPModify, "EPPostRDMARead": dat.EPPostRDMARead,
	"EPPostRDMAReadToRMR": dat.EPPostRDMAReadToRMR, "EPPostRDMAWrite": dat.EPPostRDMAWrite, "EPQuery": dat.EPQuery,
	"EPRecvQuery": dat.EPRecvQuery, "EVDCreate": dat.EVDCreate, "EVDDequeue": dat.EVDDequeue, "EVDPending": dat.EVDPending,
	"EVDPostSE": dat.EVDPostSE, "EVDQuery": dat.EVDQuery, "EVDWait": dat.EVDWait, "EVDWaitContext": dat.EVDWaitContext,
	"GetConsumerContext": dat.GetConsumerContext[dat.EPHandle], "GetHandleType": dat.GetHandleType[dat.EPHandle], "IAOpen": dat.IAOpen, "IAOpenv": dat.IAOpenv,
	"IAQuery": dat.IAQuery, "IBCollectiveCreateGroup": dat.IBCollectiveCreateGroup,
	"IBCollectiveCreateMember": dat.IBCollectiveCreateMember, "IBCollectiveReadClock": dat.IBCollectiveReadClock,
	"IBOpenQuery": dat.IBOpenQuery, "IBPostCmpAndSwap": dat.IBPostCmpAndSwap, "IBPostFetchAndAdd": dat.IBPostFetchAndAdd,
	"IBPostRDMAWriteImmed": dat.IBPostRDMAWriteImmed, "IBPostSendUD": dat.IBPostSendUD, "IBUDAHFree": dat.IBUDAHFree,
	"IWSSPCreate": dat.IWSSPCreate, "IWSSPQuery": dat.IWSSPQuery, "LMRCreate": dat.LMRCreate, "LMRCreate10": dat.LMRCreate10,
	"LMRCreate20": dat.LMRCreate20, "LMRQuery": dat.LMRQuery, "PSPCreate": dat.PSPCreate, "PSPCreateAny": dat.PSPCreateAny,
	"PSPQuery": dat.PSPQuery, "PZCreate": dat.PZCreate, "PZQuery": dat.PZQuery, "RMRBind": dat.RMRBind, "RMRBind20": dat.RMRBind20,
	"RMRCreate": dat.RMRCreate, "RMRCreateForEP": dat.RMRCreateForEP, "RMRQuery": dat.RMRQuery, "RSPCreate": dat.RSPCreate,
	"RSPQuery": dat.RSPQuery, "RegistryAddProvider": dat.RegistryAddProvider, "RegistryListProviders": dat.RegistryListProviders,
	"RegistryProvidersRelated": dat.RegistryProvidersRelated, "RegistryRemoveProvider": dat.RegistryRemoveProvider,
	"SRQCreate": dat.SRQCreate, "SRQQuery": dat.SRQQuery, "StrError": dat.StrError,
}

// Every call is made with each argument in turn nil, where its type allows that. It
// succeeds where C lets a program omit the argument, else it fails with a parameter or
// handle as the cause. It never panics.
func TestNilArguments(t *testing.T) {
	for _, name := range checked(t).Scope().Names() {
		if f, ok := checked(t).Scope().Lookup(name).(*types.Func); ok && f.Exported() && canBeNil(f.Signature()) && takeNil[name] == nil {
			t.Errorf("%s is not in the list", name)
		}
	}
	for name, call := range takeNil {
		t.Run(name, func(t *testing.T) {
			f := reflect.ValueOf(call)
			good := sample(t, f.Type())
			for n := range f.Type().NumIn() {
				switch f.Type().In(n).Kind() {
				case reflect.Pointer, reflect.Interface, reflect.Func:
					args := slices.Clone(good)
					args[n] = reflect.Zero(f.Type().In(n))
					callWithNil(t, f, args, n+1)
				}
			}
		})
	}
}

// The extensions' arguments are of any type, and so they can be nil, few or many.
func TestNilArgumentsOfExtensions(t *testing.T) {
	s := newSide(t, usual, nil)
	for op := range dat.IBUDAHFreeOp + 1 {
		for n := range 12 {
			f := reflect.ValueOf(dat.ExtensionOp[dat.EPHandle])
			args := []reflect.Value{reflect.ValueOf(s.ep), reflect.ValueOf(op)}
			for range n {
				args = append(args, reflect.Zero(reflect.TypeFor[any]()))
			}
			callWithNil(t, f, args, n)
		}
	}
}

// callWithNil makes the call whose n-th argument is nil.
func callWithNil(t *testing.T, f reflect.Value, args []reflect.Value, n int) {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			t.Errorf("argument %d: panic: %v", n, v)
		}
	}()
	ret := f.Call(args)[0].Interface().(dat.Return)
	if ret.Type() == dat.InternalError {
		t.Errorf("argument %d: %v", n, ret)
	}
}

// canBeNil reports whether a call of uDAPL has an argument that can be nil.
func canBeNil(s *types.Signature) bool {
	if s.Results().Len() != 1 || types.TypeString(s.Results().At(0).Type(), (*types.Package).Name) != "dat.Return" {
		return false
	}
	for v := range s.Params().Variables() {
		if _, ok := v.Type().(*types.TypeParam); ok {
			continue // a handle
		}
		switch v.Type().Underlying().(type) {
		case *types.Pointer, *types.Interface, *types.Signature:
			return true
		}
	}
	return false
}

// sample is arguments for a call, good where that is easy: each handle is that of a live
// object.
func sample(t *testing.T, f reflect.Type) []reflect.Value {
	s := newSide(t, usual, nil)
	var (
		cno dat.CNOHandle
		srq dat.SRQHandle
		rmr dat.RMRHandle
		psp dat.PSPHandle
	)
	ok(t, dat.CNOCreate(s.ia, dat.OsWaitProxyAgentNull, &cno))
	if ret := dat.SRQCreate(s.ia, s.pz, &dat.SRQAttr{MaxRecvDTOS: 4, MaxRecvIOV: 1}, &srq); ret.Type() != dat.ModelNotSupported {
		ok(t, ret)
	}
	if ret := dat.RMRCreate(s.pz, &rmr); ret.Type() != dat.ModelNotSupported {
		ok(t, ret)
	}
	var qual dat.ConnQual
	ok(t, dat.PSPCreateAny(s.ia, &qual, s.cr, dat.PSPConsumerFlag, &psp))
	values := map[reflect.Type]reflect.Value{}
	for _, v := range []any{s.ia, s.pz, s.recv, s.ep, s.mem.lmr, cno, srq, rmr, psp, dat.Handle(s.ia), s.mem.iov(0, 8), make([]byte, 8),
		dat.Count(1), dat.EVDDTOFlag, dat.MemPrivLocalReadFlag, dat.Vlen(8), dat.RegionDescription{ForVA: make([]byte, 8)}} {
		values[reflect.TypeOf(v)] = reflect.ValueOf(v)
	}
	args := make([]reflect.Value, f.NumIn())
	for i := range args {
		in := f.In(i)
		switch v, known := values[in]; {
		case known:
			args[i] = v
		case in == reflect.TypeFor[context.Context]():
			args[i] = reflect.ValueOf(context.Background())
		case in == reflect.TypeFor[net.Addr]():
			args[i] = reflect.ValueOf(&net.IPAddr{IP: net.IPv4(127, 0, 0, 1)})
		case in.Kind() == reflect.Pointer:
			args[i] = reflect.New(in.Elem())
		case in.Kind() == reflect.Func:
			args[i] = reflect.MakeFunc(in, func([]reflect.Value) []reflect.Value { return nil })
		case in.Kind() == reflect.Interface:
			args[i] = reflect.ValueOf(fmt.Sprint)
			if !args[i].Type().AssignableTo(in) {
				args[i] = reflect.Zero(in)
			}
		default:
			args[i] = reflect.Zero(in)
		}
	}
	return args
}
