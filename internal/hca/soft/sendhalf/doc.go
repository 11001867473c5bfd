// Package sendhalf is what the send halves of the paths have in common: it takes posts, enters the queue pair's
// gate Tx and leaves it, and does the work that other goroutines have marked there (Half). What a request does is
// the path's, which the package knows as a Path.
//
// A line of code in this package may touch the send queue of its queue pair, inside the gate Tx. It may not touch
// a socket or shared memory. Of the software adapter, the package imports packages core, progress and gate.
package sendhalf
