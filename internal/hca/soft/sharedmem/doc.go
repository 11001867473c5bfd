// Package sharedmem is the path between two processes of one host and user, over memory that
// both map. It exists on Linux.
//
//	what a process can do       available.go
//	listening, connecting       listen.go accept.go connect.go hello.go establish.go path.go
//	a connection                conn.go layout.go ring.go frame.go
//	in a simulation             simulated.go, and package neighbour
//	posting                     post.go fastpath.go plainwrite.go
//	sending                     tx.go tx_request.go rendezvous.go onesided.go put.go
//	receiving                   rx.go rx_request.go rx_response.go poll.go
//	keys, seen by the peer      keydir.go regionfile.go backing.go, and package keydir
//	many connections            package group
//	the peer's keys, seen here  rkeycache.go sweep.go, and package peerfiles
//	taking keys back            revoke.go
//	the end                     close.go
//	the system                  sys_*.go secret_unsafe.go other.go
//
// A connection has its own memory: in either direction a ring of requests and a ring of responses,
// each with a bulk area for bytes that do not fit into a slot, and a page of control words.
// Requests go out in the order of their posts. The peer carries them out in that order and releases
// their slots, which acknowledges them. This works for every operation and needs nothing else.
//
// Two optimizations bypass the ring. A write, read or atomic with nothing before it in the queue is
// the initiator's own copy (onesided.go), if the key is in the peer's key directory and the memory
// is accessible: mapped, if it lies in a memory file, or else through the kernel
// (process_vm_readv), if the kernel allows it; that is tested once, when the connection is made. A
// large message is described instead of sent (rendezvous.go): the receiver copies it from the
// sender's memory into its receive.
//
// # What is trusted
//
// Nothing that is read from shared memory is trusted. A frame is copied before it is checked;
// positions, lengths and offsets are checked against this side's own records; an impossible number
// ends the connection and does no other harm. A peer can always write to memory that it has mapped:
// pages cannot be taken back from a malicious process. So access rights, windows and revocation
// hold on this path between processes that mean well and make mistakes. The kernel guarantees that
// the peer is a process of the same user, which could also debug this one.
//
// # Sleeping and the end
//
// Each side has a close status, which tells how it ended the connection, and a doorbell flag, which
// tells that it sleeps. A side that publishes something rings the doorbell of a sleeping peer, an
// eventfd in the adapter's poller, once for everything published by then; the first few connections
// have their doorbells in Go's own poller, which is faster (sys_doorbell_linux.go). A consumer that waits for
// this one connection sleeps on the doorbell itself (sys_park_linux.go), so that no other goroutine runs
// before it. While consumers poll, nobody sleeps and no system call is made. When a peer dies, its socket closes.
//
// From the fourth on, connections between the same queues and processes are in a group, which has one doorbell and sleeps as a
// whole: see package group. Each side has its own groups. Consumers with a queue each, of which many are busy, have their
// connections rung at one board.
//
// Slots for which no acknowledgement is requested are released late: at the latest when their owner
// finds nothing more to do, sleeps, or ends the connection. The counter that publishes the release
// is in the peer's cache, and a store to it is expensive.
//
// # Revocation
//
// Each record of the key directory has a generation, which changes whenever the record is written. A peer that
// copies directly first writes key and generation into its hazard slot in the shared memory, then checks that the
// directory still has both, and clears the slot after the copy. To revoke a key, this side removes its record, lets
// the kernel put a barrier into all running threads (membarrier, where both processes take part; else the peer pays
// for a fence), and then reads the hazard slots: it waits for those that name the key. When a key gets other rights,
// its record is written again, and those who use the former generation are waited for. It waits one second for a peer
// that was stopped during an access. Then the peer loses the connection, and the region's pages are detached from the
// file that the peer maps, for all regions over the same memory.
//
// # What a line of code may touch
//
// The memory of the connection is touched inside one of the connection's two gates, of the queue
// pair (sending) or of the connection (receiving), so that the end, which takes both, can unmap it.
// A line of code in this package may touch that memory, the peer's key directory and mappings of
// the peer's files, and, through package core, the queue pair of the connection and the adapter's
// keys. The package imports no other path. How processes find one another is in package neighbour below this one.
package sharedmem
