// Package soft is the software adapter: RDMA that needs nothing installed.
//
// It has two paths, of which one is chosen when a connection is made. Two queue
// pairs of one process are joined directly (path "loop"): an operation is a
// copy that the poster makes itself where it is small. Otherwise a connection
// is iWARP over a TCP stream (path "tcp"), which also talks to the Linux siw
// driver and to iWARP hardware, with Fabric in the place of TCP where a program
// wants another stream.
//
// # Who runs it
//
// Progress is made by whoever is there: the poster, a consumer that polls, and
// the engine, a few goroutines that run what those two leave. Each side of a
// connection has a gate (see gate.go) that one of them is inside at a time;
// the others leave a mark and go on. Sockets are non-blocking and watched by a
// poller of the adapter's own, which disarms a socket when it reports it:
// while a consumer polls a connection nobody else is woken for it. The watch
// arms it again when the polling has stopped.
//
// # Where things are
//
//	memory        keys.go pd.go mr.go mw.go
//	queues        cq.go recvq.go srq.go sendq.go
//	queue pair    qp.go post.go pump.go life.go after.go
//	in-process    loop.go loopcm.go copy.go
//	network       tcp.go receiver.go place.go requests.go hangup.go
//	              sender.go transmit.go outgoing.go align.go
//	              meeting.go ending.go
//	start-up      stream.go streamlisten.go streamaccept.go streamconnect.go
//	octets        wire.go wire_pump.go sys_*.go network.go
//
// # Revocation
//
// Memory is looked up, checked and used inside a gate. Whoever revokes a key
// takes it out of the table and then waits until everyone who was inside a gate
// at that time has left: nobody who enters later finds the key.
package soft
