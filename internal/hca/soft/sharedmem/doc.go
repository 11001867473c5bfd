// Package sharedmem is the path between two processes of one host and user, over memory that
// both map. It exists on Linux.
//
//	what a process can do       able.go
//	listening, connecting       listen.go accept.go connect.go hello.go establish.go path.go
//	a connection                conn.go layout.go ring.go frame.go
//	posting                     post.go fastpath.go plainwrite.go
//	sending                     tx.go tx_request.go rendezvous.go onesided.go copy_order.go
//	receiving                   rx.go rx_request.go rx_response.go poll.go
//	keys, seen by the peer      keydir.go keydir_open.go regionfile.go
//	the peer's keys, seen here  rkeycache.go mappings.go mappings_gc.go
//	taking keys back            revoke.go
//	the end                     close.go
//
// A connection has memory of its own: in either direction a ring of requests and a ring of
// answers, each with a bulk area for bytes that do not fit into a slot, and a few words. Requests
// go out in the order of their posts, the peer carries them out in that order and gives
// their slots back, and that is the acknowledgement. So whatever a peer can be asked for
// works without any other means.
//
// Two ways are shorter. A write, read or atomic with nothing before it in the queue is the
// initiator's own copy (onesided.go), if the key is in the peer's key directory and the memory
// can be reached: mapped, if it lies in a file of memory, or else through the kernel
// (process_vm_readv), if the kernel allows it; that is tried once, when the connection is
// made. And a large message is described instead of sent (rendezvous.go): the receiver copies
// it from the sender's memory into its receive.
//
// # What is trusted
//
// Nothing that is read from shared memory is believed. A frame is copied out before it is
// looked at; positions, lengths and offsets are checked against what this side knows by
// itself; a number that cannot be right ends the connection and nothing else. What a
// peer can always do is write to memory that it has mapped: pages cannot be taken back from
// a process that means harm. So rights, windows and revocation are kept on this path between
// processes that mean well and err. The kernel has made sure that the peer is a process of the
// same user, which could debug this one.
//
// # Sleeping and the end
//
// Each side has a word that says how it ended the connection (the close status), and one that
// says that it sleeps. A side that publishes something rings the bell of a sleeper, an eventfd
// in the adapter's poller, once for all that is there by then; the first few
// connections have their bells in Go's poller itself, which is faster (sys_bell_linux.go). While
// consumers poll, nobody sleeps and the kernel is not called. A peer that dies closes its
// socket.
//
// Slots that nobody waits for are given back late: at the latest when their owner finds nothing
// more to do, sleeps, or ends the connection. The word that tells of it is in the peer's cache.
//
// # Revocation
//
// A peer that copies by itself names the key in a word of the shared memory, its hazard
// slot, before it looks whether the key is still in the directory, and clears the slot behind the
// piece. To revoke a key, this side takes it out of the directory, has the kernel put
// a barrier into all threads that run (membarrier, where both processes take part; else the
// peer pays for a fence), and then looks at the hazard slots: it waits for those that name the
// key. It waits a second for a peer that was stopped in there. Then the peer loses the
// connection, and the region's pages part from the file that the peer maps.
//
// # What a line of code may touch
//
// The memory of the connection is touched inside one of the connection's two gates, of the queue
// pair (sending) or of the connection (receiving), so that the end, which takes both, can take
// it away. A line of code in here may touch that memory, the peer's key directory and mappings
// of the peer's files, and, through package core, the queue pair of the connection and the
// adapter's keys. The package imports no other path.
package sharedmem
