// Package receives is the queue of posted receives: a queue pair's own, or one that several share.
//
// A line of code in this package may touch the queue. It knows no memory, no queue pair and no connection. Of the
// software adapter, the package imports package gate.
package receives
