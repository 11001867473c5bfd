package wait

import "sync/atomic"

// hook, if set, is called between the steps of the loop, with the cell, lock or parker
// whose step it is. Only this package's tests set it, to run consumer and producers in
// every possible order.
var hook atomic.Pointer[func(object any, step string)]

// at marks a step. The caller holds no mutex here.
func at(object any, step string) {
	if f := hook.Load(); f != nil {
		(*f)(object, step)
	}
}
