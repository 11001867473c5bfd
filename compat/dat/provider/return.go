package main

import "C"

import "github.com/godapl/godapl/compat/dat"

// notImplemented is DAT_NOT_IMPLEMENTED in 2.0, whose number differs from that of 1.2.
const notImplemented = 0x3fff0000

// code converts a result to 2.0: the subtypes after the handles' are numbered
// differently in 1.2.
func code(r dat.Return) C.uint {
	if r == dat.Success {
		return 0
	}
	typ, sub := r.Type(), r.Subtype()
	if typ == dat.NotImplemented {
		typ = notImplemented
	}
	switch {
	case sub == dat.InvalidHandleCSP:
		sub = 26
	case sub == dat.InvalidStateSRQShutdown:
		sub = 88
	case sub >= dat.PrivilegesRead && sub <= dat.ThreadSafetyNotFound:
		sub += 2
	case sub >= dat.InvalidHandle1 && sub <= dat.InvalidStateSRQInUse:
		sub++
	}
	return C.uint(r.Class() | typ | sub)
}

// badArg is INVALID_PARAMETER for the n-th argument, in the form of package dat.
func badArg(n int) dat.Return {
	return dat.ClassError | dat.InvalidParameter | (dat.InvalidArg1 + dat.Return(n-1))
}

const invalidHandle = dat.ClassError | dat.InvalidHandle

const badEVD = invalidHandle | dat.InvalidHandle1

const outOfMemory = dat.ClassError | dat.InsufficientResources | dat.ResourceMemory
