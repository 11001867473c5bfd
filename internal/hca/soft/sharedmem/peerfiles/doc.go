// Package peerfiles has the files in which a peer's regions lie, and what of them is mapped here. A connection over shared
// memory maps a region on its first access, from a descriptor that it requests of the peer.
//
//	requests, answers, mappings   mappings.go
//	what is not used any more     sweep.go
//	for tests                     fortests.go
//
// A line of code in this package may map the file of a peer. It knows a region by a number that leads to it, and neither
// sockets nor connections.
package peerfiles
