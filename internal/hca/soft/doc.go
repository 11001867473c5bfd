// Package soft is the software adapter: RDMA that needs nothing installed.
//
// It has three paths, of which one is chosen when a connection is made. Two queue
// pairs of one process are joined directly (path "loop"): an operation is a
// copy that the poster makes itself where it is small. Two processes of one host
// and user share memory (path "shm"). Otherwise a connection
// is iWARP over a TCP stream (path "tcp"), which also talks to the Linux siw
// driver and to iWARP hardware, with Fabric in the place of TCP where a program
// wants another stream.
//
// # Who runs it
//
// Progress is made by whoever is there: the poster, a consumer that polls, and
// the engine, a few goroutines that run what those two leave. Each side of a
// connection has a gate (see gate.go, rxgate.go) that one of them is inside at a time;
// the others leave a mark and go on. Sockets are non-blocking and watched by a
// poller of the adapter's own, which disarms a socket when it reports it:
// while a consumer polls a connection nobody else is woken for it. The watch
// arms it again when the polling has stopped.
//
// # Where things are
//
//	memory        keys.go pd.go mr.go mw.go allowed.go guard.go
//	queues        cq.go recvq.go srq.go sendq.go
//	queue pair    qp.go post.go room.go pump.go life.go after.go
//	in-process    loop.go loopcm.go copy.go
//	two processes remote.go came.go: what the next two have in common
//	same host     shm.go shmlayout.go shmring.go shmframe.go
//	              shmsend.go shmstart.go shmreach.go shmpiece.go: this side's requests
//	              shmshort.go shmpoll.go shmword.go: what most messages and words need
//	              shmreceive.go shmplace.go shmanswer.go shmpull.go: the peer's
//	              shmboard.go shmview.go shmmaps.go shmfile.go shmvisit.go: whose
//	              memory is where, and taking it back
//	              shmable.go shmlisten.go shmaccept.go shmconnect.go shmhello.go shmjoin.go
//	              shmend.go
//	network       tcp.go receiver.go place.go requests.go hangup.go
//	              gather.go sender.go transmit.go outgoing.go align.go rouse.go
//	              meeting.go ending.go
//	start-up      stream.go streamlisten.go streamaccept.go streamconnect.go leaving.go
//	bad peers     progress.go visitors.go
//	octets        wire.go wire_pump.go sys_*.go network.go capture.go
//
// # Shared memory
//
// A connection between two processes of a host has memory of its own, which both
// map: a ring of requests and one of answers either way, with room beside them for
// octets that do not fit into a slot, and a few words. Requests go out in the order
// of their posts, the peer carries them out in that order and gives their slots back,
// and that is the acknowledgement. So whatever a peer can be asked for works without
// any other means.
//
// Two ways are shorter. A write, read or atomic with nothing before it in the queue
// is the initiator's own copy, if the key is on the peer's board (shmboard.go) and the
// memory can be reached: mapped, if it lies in a file of memory, or else through the
// kernel (process_vm_readv), if it lets us; that is tried once, when the connection
// is made. And a large message is described instead of sent, and the receiver copies
// it from the sender's memory into its receive.
//
// Nothing that is read from shared memory is believed. A frame is copied out before it
// is looked at; positions, lengths and offsets are checked against what this side
// knows by itself; a number that cannot be right ends the connection and nothing
// else. What a peer can always do is write to memory that it has mapped: pages cannot
// be taken back from a process that means harm. So rights, windows and revocation
// are kept on this path between processes that mean well and err. The kernel has made
// sure that it is a process of the same user, which could debug this one.
//
// Each side has a word that says how it ended the connection, and one that says
// that it sleeps. Whoever publishes something rings the bell of a sleeper, an eventfd
// in the adapter's poller, once for whatever is there by then; the first few connections
// have theirs in Go's poller itself, which is faster (sys_shmbell_linux.go). While consumers
// poll, nobody sleeps and the kernel is not called. A peer that dies closes its socket.
//
// Slots that nobody waits for are given back late, at the latest by who finds nothing more
// to do, sleeps, or ends the connection: the word that tells of it is in the peer's cache.
//
// # Revocation
//
// Memory is looked up, checked and used inside a gate. Whoever revokes a key
// takes it out of the table and then waits until everyone who was inside a gate
// at that time has left: nobody who enters later finds the key.
//
// A peer that copies by itself names the key in a word of the shared memory, its
// visit, before it looks whether the key is still on the board, and clears it behind
// the piece. Whoever revokes a key takes it off the board, has the kernel put a
// barrier into all threads that run (membarrier, where both processes take part; else
// the visitor pays for a fence), and then looks at the visits: it waits for those that
// name the key. A peer that has been stopped in there is waited for a second. Then it
// loses the connection, and the region's pages part from the file that it maps.
package soft
