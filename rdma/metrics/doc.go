// Package metrics lists the counters of an adapter under stable names, in the manner of runtime/metrics.
//
// [All] describes the metrics; [Read] reads them. A name consists of a path and, behind a colon, the unit:
// "/rdma/op/write:bytes". A name keeps its meaning in later versions of the library; new names may be added.
// Counters only grow; gauges say what is now.
//
// The whole set for expvar is one line:
//
//	expvar.Publish("rdma", metrics.Var(adapter))
//
// For Prometheus there is a collector in a module of its own, contrib/prometheus.
//
// Reading holds each connection for a moment: see rdma.Adapter.Stats. It may be done every second,
// even with ten thousand connections.
package metrics
