package ibv

import "sync"

// callArgs keeps what goes over in one call: the function, up to five
// arguments (no function here takes more; zeros that it does not take do no
// harm), and the function that tells errno. It lies on the heap for good, so
// that no call allocates it.
type callArgs [7]uintptr

// result is what came back from one crossing into C: the return value, and
// errno of the thread that made the call, as the call left it: zero if it set
// none. It means something only where the value says that the call failed.
type result struct{ value, errno uintptr }

var callPool = sync.Pool{New: func() any { return new(callArgs) }}

// call calls a C function from anywhere.
func call(fn, a0, a1, a2, a3, a4 uintptr) result {
	args := callPool.Get().(*callArgs)
	*args = callArgs{1: a0, 2: a1, 3: a2, 4: a3, 5: a4}
	r := args.cross(fn)
	callPool.Put(args)
	return r
}

func call1[A ~uintptr](fn uintptr, a A) result { return call(fn, uintptr(a), 0, 0, 0, 0) }

func call2[A ~uintptr](fn uintptr, a A, b uintptr) result { return call(fn, uintptr(a), b, 0, 0, 0) }

func call3[A ~uintptr](fn uintptr, a A, b, c uintptr) result {
	return call(fn, uintptr(a), b, c, 0, 0)
}
