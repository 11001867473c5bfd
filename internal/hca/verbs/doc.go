// Package verbs is the adapter for RDMA hardware: it implements the contract of package
// hca on libibverbs and librdmacm of rdma-core, which it loads when the first device is
// opened. It uses no cgo and no headers. Programs that use only the software adapter
// need none of these libraries.
//
// # Objects
//
// An [hca.Adapter] is a device's context, or one port of it. librdmacm opens the
// contexts, because an endpoint's queue pair and its connection identifier must use the
// same one; all adapters of a process share them. Protection domains, regions, windows,
// completion queues and shared receive queues map to the verbs objects of the same
// name.
//
// A queue pair of the contract is more than a verbs queue pair. The device's queue pair
// is created when the connection manager has chosen device and port, and destroyed when
// the connection has ended; receives posted earlier wait in memory from which the
// device will read them. Each request has a record (sendq.go, recvq.go), since a work
// completion carries length and operation for receives only, and an unsignaled request
// has no completion.
//
// # Suppressed requests
//
// The slots of a send queue are freed by completions only. So every few suppressed
// requests one is signaled anyway, and its completion is swallowed. If no later
// signaled request can report the last ones, a probe (a write of no bytes) is posted
// after them.
//
// # Completions
//
// The consumer polls the device's queue directly. Entries that another goroutine must
// take out (to answer the device's notification, or to end a queue pair) wait in a
// ring, which Poll empties first.
//
// # The end of a connection
//
// A queue pair ends once (end.go): it leaves the ready state, its flushed entries are
// collected, the device's queue pair is destroyed, and requests that the device has not
// reported are flushed here. Only then is the end reported. So no request is lost,
// whatever a driver omits.
//
// Three sources report an end, in any order: failed completions, events of the
// connection manager, and asynchronous events of the device. So when the peer has left
// (state peerLeft), the adapter waits briefly for statuses that the peer sent before:
// if the peer left because it refused a request, the refusal is the cause of the end.
//
// # Waiting
//
// Completion channels, connection events and asynchronous events are descriptors. A goroutine
// for each sleeps in Go's poller (descriptor.go, package park); no thread waits inside the
// libraries. A consumer that sleeps for a queue reads the completion channel in the goroutine's
// place (turns.go, cqpark.go), so that an arrival wakes one goroutine, and not two. So does a
// thread of C (cqdescriptors.go). Simulated devices have bells in place of descriptors (bell.go).
//
// # Tests
//
// The libraries' functions are a table (package ibv). Package fakeibv fills it with Go
// functions and simulates devices; [Simulated] is their driver. Only a real device shows
// what drivers do.
package verbs
