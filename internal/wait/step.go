package wait

import "sync/atomic"

// hook, if set, is called between the steps of the loop with the cell or lock
// concerned. It is nil but in this package's tests, which use it to run
// consumer and producers in every possible order.
var hook atomic.Pointer[func(object any, step string)]

// at marks a step. Nothing may be locked here.
func at(object any, step string) {
	if f := hook.Load(); f != nil {
		(*f)(object, step)
	}
}
