package core

import "sync/atomic"

// StepHook, if set, is called between the steps of a connection's end. Only this package's tests set it, to
// make both halves meet in every order.
var StepHook atomic.Pointer[func(object any, step string)]

// RunStepHook calls the hook, if it is set. Each call costs a load, so only the end of a connection has steps, and the placing of
// messages of more than one frame.
func RunStepHook(object any, step string) {
	if f := StepHook.Load(); f != nil {
		(*f)(object, step)
	}
}
