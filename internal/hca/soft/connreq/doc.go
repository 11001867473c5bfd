// Package connreq is what the connection requests of all paths have in common: a request waits for an answer, is
// answered once, and may notice meanwhile that its peer has given up.
//
// A line of code in this package may touch the request and the list of its adapter's objects. It may not touch queue
// pairs or the peer's stream; the path reads that. Of the software adapter, the package imports package core.
package connreq
