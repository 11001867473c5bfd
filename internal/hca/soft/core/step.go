package core

import "sync/atomic"

// StepHook, if set, is called between the steps of a connection's end. It is nil but in this
// package's tests, which use it to have both halves meet in every order.
var StepHook atomic.Pointer[func(object any, step string)]

// AtStep marks a step. It is for the way of an end, and for what is done once per message of
// more than a frame: a load each.
func AtStep(object any, step string) {
	if f := StepHook.Load(); f != nil {
		(*f)(object, step)
	}
}
