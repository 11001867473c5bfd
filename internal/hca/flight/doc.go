// Package flight records the last events of a queue pair, for the operator who asks what happened
// before a connection broke.
//
// A [Recorder] has a [Half] for requests and one for receives, so that each is written inside the gate or
// the lock which is held anyway. It has no locks of its own, and no pointers.
//
// Reading the time costs more than all else. So a [Clock] that ticks tells when to: events between two
// ticks have the time of the first of them.
package flight
