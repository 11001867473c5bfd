package core

import "sync/atomic"

// StepHook, if set, is called between the steps of a connection's beginning and end. Only tests set it, to make what
// happens then meet in every order.
var StepHook atomic.Pointer[func(q *QP, step string)]

// RunStepHook calls the hook, if it is set. Each call costs a load, so only the beginning and the end of a connection have
// steps, and the placing of messages of more than one frame.
func RunStepHook(q *QP, step string) {
	if f := StepHook.Load(); f != nil {
		(*f)(q, step)
	}
}
