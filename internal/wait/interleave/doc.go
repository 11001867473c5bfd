// Package interleave runs a few goroutines in every order that their steps
// allow. It is for tests.
//
// The code under test calls [Run.Step] between its steps, through a hook that
// is nil in production. At every step the goroutine stops, and the walker
// decides who goes next: first always the first that can, then, run by run,
// every other choice, depth first. A goroutine that parks in earnest (on a
// channel, a timer) is seen to be parked, because all of it happens inside a
// testing/synctest bubble. So it is the real code that runs, and the real
// channels that wake.
//
// A run in which nobody can go on while somebody is still parked is a lost
// wake-up, and fails with the order of steps that led there.
//
// The number of orders explodes. A run can therefore describe its shared state
// ([Run.State]): from a state that has been seen before, with every goroutine
// at the same step, nothing new can follow, and the walk turns back.
package interleave
