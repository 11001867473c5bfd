package ibv

import "sync"

// crossing is one call into C and what came back from it. Assembly knows its
// layout.
type crossing struct {
	fn uintptr
	// args are the function's: none here takes more, and zeros that it does not
	// take do no harm.
	args [5]uintptr
	// location is the function that returns the address of errno, or 0 if the caller
	// does not need errno.
	location uintptr
	result
}

// result holds the return value and the errno that the call has set on its thread: zero
// if it set none, or if the caller did not ask for it. errno is valid only if the value
// says that the call failed.
type result struct{ value, errno uintptr }

// callPool keeps crossings, so that no call allocates one.
var callPool = sync.Pool{New: func() any { return new(crossing) }}

// call calls a C function from anywhere.
func call(fn, a0, a1, a2, a3, a4 uintptr) result {
	c := callPool.Get().(*crossing)
	c.fn, c.args = fn, [...]uintptr{a0, a1, a2, a3, a4}
	c.withErrno()
	r := c.result
	callPool.Put(c)
	return r
}

func call1[A ~uintptr](fn uintptr, a A) result { return call(fn, uintptr(a), 0, 0, 0, 0) }

func call2[A ~uintptr](fn uintptr, a A, b uintptr) result { return call(fn, uintptr(a), b, 0, 0, 0) }

func call3[A ~uintptr](fn uintptr, a A, b, c uintptr) result {
	return call(fn, uintptr(a), b, c, 0, 0)
}
