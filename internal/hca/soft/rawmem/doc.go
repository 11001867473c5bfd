// Package rawmem accesses registered memory: copies by the piece, words and atomic operations. Memory of the
// program may have lost its pages since it was registered; an access to it that faults is noticed, and the
// goroutine goes on (Guard).
//
//	copies         copy.go
//	words          atomics_unsafe.go
//	faults         guard.go
//	rights         rights.go, of the pages, before memory is registered
//	race detector  norace.go sys_race.go
//
// A line of code in this package may touch bytes that its caller has looked up under a key, inside a gate. It
// knows no key, no queue and no connection. Of the software adapter, the package imports package gate.
package rawmem
