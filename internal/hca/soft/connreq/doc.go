// Package connreq is what the connection requests of all paths have in common: a request waits for an answer, is
// answered once, and may notice meanwhile that its peer has given up. It also says how a listener goes on when the system fails.
//
// A line of code in this package may touch the request, and the log and the list of objects of its adapter. It may not touch queue
// pairs or the peer's stream; the path reads that. Of the software adapter, the package imports package core.
package connreq
