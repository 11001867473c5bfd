// Package verbs is the adapter for RDMA hardware: the contract of package hca
// on libibverbs and librdmacm of rdma-core, which are loaded when the first
// device is opened. No cgo, no headers, nothing to install for those who only
// use the software adapter.
//
// # How it maps
//
// An [hca.Adapter] is a device's context, or one port of it. Contexts are those
// that librdmacm opens, since an endpoint's queue pair and its connection
// identifier must agree on it; so they are shared by all adapters of a process.
// Protection domains, regions, windows, completion queues and shared receive
// queues are the objects of the same name in verbs.
//
// A queue pair of the contract is more than one of verbs. The real one is made
// when a connection tells which device and port it will be on, and destroyed
// when the connection has ended; receives posted before wait in memory that
// the device will read them from. Each request has a record (sendq.go, recvq.go),
// since a work completion tells the length and the operation of receives only,
// and nothing at all of an unsignaled request.
//
// # Suppressed requests
//
// A queue's slots come back with completions only. So every few suppressed
// requests one is signaled all the same, and its completion is swallowed; and
// where none is left that could tell of the last ones, a write of no bytes is
// posted behind them.
//
// # Completions
//
// The consumer polls the device's queue directly. Entries that somebody else
// must take out (the goroutine that answers the device's notification, a queue
// pair that ends) wait in a ring beside it, which Poll empties first.
//
// # The end of a connection
//
// A queue pair ends once (end.go): it leaves the ready state, its flushed
// entries are collected, it is destroyed, and what the device has then not
// accounted for is flushed here. So no request is lost, whatever a driver
// leaves out, and only then the end is reported.
//
// The news of an end come in three ways, in any order: failed completions, events
// of the connection manager, asynchronous events of the device. So when the peer has
// left, what it may have said before is waited for a moment (state parting): a
// refusal, because of which it left, is the cause of the end.
//
// # Waiting
//
// Completion channels, connection events and asynchronous events are
// descriptors. Duplicates of them are waited for by Go's poller, one goroutine
// each; no thread ever waits inside the libraries.
package verbs
