package event

import "sync/atomic"

// hook, if set, is called between the steps of producers and consumers. Only this package's
// tests set it, to run the steps in every order.
var hook atomic.Pointer[func(object any, step string)]

// at marks a step. No mutex may be held here.
func at(object any, step string) {
	if f := hook.Load(); f != nil {
		(*f)(object, step)
	}
}
