// Package conns has the connections of a completion queue, as the queue's consumer needs them.
//
// A queue of a few connections calls each of them at each poll and each arming. With thousands, of which one is busy,
// that would cost more than all the rest: so a connection notes at the queue that something is to be done for it, and
// only the noted ones are called. A poll of many connections reaches few of them; the adapter watches the others.
//
//	list.go   the list, who is told at an arming, and whether a look may be left out
//	notes.go  a list of those that something is to be done for
//	small.go  a set that answers questions about its members as long as they are few
package conns
