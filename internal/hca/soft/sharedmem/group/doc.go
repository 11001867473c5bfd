// Package group is how connections with one process share a doorbell. If each of a hundred connections has its own, the
// peer makes a system call for nearly each message of a busy server: the connections are idle in turn, and each sleeps
// alone. A group sleeps as a whole, when its consumer has nothing left to do, and one call wakes it.
//
//	a connection                        membership.go
//	which connections are in a group    groups.go
//	what shares a doorbell              roster.go
//	the group, as its queues see it     group.go
//	a sleeping consumer                 park.go sys_bell_linux.go other.go
//	consumers that sleep apart          board.go sys_board_linux.go other.go
//	the page of the group               page.go
//	the peer's side                     ringer.go
//	for tests                           fortests.go
//
// The connections of a group have the same two completion queues and the same process as peer. The first connections of
// such a kin have doorbells of their own, and the later ones form the group. It takes the place of its connections in
// the lists of both queues, so the queues have few connections: their consumers poll the group, sleep at its doorbell,
// and read what has come.
//
// A group has a page of memory that the peer's process maps, too. The page has the doorbell and a flag for each
// connection. The peer publishes frames, raises the flag of the connection, and rings if the doorbell is armed. This side
// lowers a flag before it looks at the connection. The page is not trusted: a wrong flag costs a look in vain, or makes a
// message of the same peer late.
//
// The doorbell is armed by a consumer that goes to sleep, and stays so until it rings. From then on nobody rings, and the
// flags are looked at: by the consumer as long as it polls, with the watch of package progress behind it, or by
// the adapter's poller if no consumer does.
//
// A connection that is in no group has a doorbell of its own, and its consumer hears that itself, which is the fastest way to
// wake one. But if a hundred consumers with a queue each sleep and wake all the time, the peer makes a system call for each of
// them, and the kernel reports each by itself. So such a connection also has a seat at a board: one more doorbell, which all
// connections with the process have in common. A consumer that finds many others busy leaves its doorbell to the board, and
// sleeps as one of many connections does: the adapter's poller looks at the flags and wakes it. As long as the poller has
// something to do, nobody rings. The word of the connection's own doorbell tells the peer which of the two is to be rung, so
// the consumer decides anew for each sleep, by how often the others have slept since its last one.
//
// A line of code in this package may touch the page and the descriptor of the doorbell. It knows a connection as a Member.
// Of the software adapter, the package imports packages core, progress and gate.
package group
