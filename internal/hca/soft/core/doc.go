// Package core holds what all paths of the software adapter share: the objects of the
// verbs, and how requests complete.
//
//	adapter            adapter.go
//	keys and memory    keytable.go keytable_size*.go pd.go mr.go mw.go bind.go adopt.go segment.go
//	accesses           gather.go faulted.go, and package rawmem below this one
//	completion queues  cq.go cq_ring.go cq_poll.go cq_wake.go cq_coalesce.go backlog.go, and package conns
//	  that wait        cq_park.go cq_lead.go cq_descriptors.go
//	receive queues     recvq.go srq.go srqwait.go, and package receives
//	send queue         sendq.go room.go
//	queue pair         qp.go post.go postrecv.go qpsend.go qpstate.go established.go
//	completion         complete.go flush.go deferred.go report.go outcome.go
//	counters           stats.go cq_stats.go flight.go, and package reqtime
//	start-up           cm.go listener.go, and package accepts
//	seams              path.go transport.go
//	for tests          fortests.go stephook.go
//
// A queue pair knows its connection only as a Transport. An adapter knows its ways to reach peers only as Paths, and
// the key table knows its observer only as a KeyObserver.
//
// A line of code in this package may touch queues, the key table, the states of queue pairs and registered
// memory. It may not touch a socket, shared memory, or the queue pair of a peer, except to connect two of this
// process (EstablishPair). What belongs to the send half of a queue pair (the send queue, the flush) is touched
// inside its gate, QP.Tx, by code of the path: see Transport. Memory is looked up, checked and used inside one
// of the connection's gates. A goroutine that revokes a key takes it out of the table first, and then waits
// until every goroutine that was inside a gate at that moment has left (PD.quiesce); a goroutine that enters
// later does not find the key.
//
// Of the software adapter, the package imports packages accepts, conns, gate, hostport, keynumber, progress,
// rawmem, receives and reqtime.
package core
