// Package interleave runs a few goroutines in every order that their steps allow. It is
// for tests.
//
// The code under test calls [Run.Step] between its steps, through a hook that is nil in
// production. At every step the goroutine stops, and the walker chooses which goroutine
// continues: first always the first that can, then, run by run, every other choice,
// depth first. Everything happens inside a testing/synctest bubble, so the walker can
// see that a goroutine is parked (on a channel or a timer). So the tests run the real
// code and the real channels.
//
// A run in which no goroutine can continue while one is still parked is a lost wake-up,
// and fails with the order of steps that led there.
//
// The number of orders explodes. A run can therefore describe its shared state
// ([Run.State]): a state that has been seen before, with every goroutine at the same
// step, leads to nothing new, and the walk turns back.
package interleave
