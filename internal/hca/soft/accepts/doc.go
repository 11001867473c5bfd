// Package accepts knows which accepted requests of an adapter are not reported yet, so that the report of an end
// can wait for them.
//
// A peer that has connected many times may end the first connection right after it has made the last. On this
// side each accept completes on a goroutine of its own, and the report of the end could overtake some of them,
// although everything that they need has arrived. A program would take that for an error of its own.
//
// A line of code in this package may ask whether a connection has input. It reads as much as the path
// asks for. Of the software adapter, the package imports package progress.
package accepts
