// Package recvhalf is what the receive halves of the paths have in common: how a message gets its receive, waits
// for one and completes it (Message), and how a connection that is over is taken down (Settle).
//
// A line of code in this package may touch the receives of the queue pair for which a message comes. It does so
// inside the gate through which the path takes that queue pair's messages. It may not touch a socket or shared
// memory. Of the software adapter, the package imports packages sendhalf, core, receives, progress and gate.
package recvhalf
