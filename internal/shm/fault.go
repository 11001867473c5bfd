package shm

import "runtime/debug"

// guard has memory faults of this goroutine end in err until its result is called,
// which must be by defer.
func guard(err *error) func() {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		if r := recover(); r != nil {
			fault, ok := r.(interface {
				error
				Addr() uintptr
			})
			if !ok {
				panic(r)
			}
			*err = fail("copy", ErrFault, "", fault)
		}
	}
}
