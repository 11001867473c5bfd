// Package stream is what the streams of bytes over RDMA, packages rsocket and valkey, have in common:
// how the goroutines of a connection wait for its events, with deadlines ([Sides]); the memory for
// bytes on their way to the peer ([SendBuffer]); and how a listener answers requests ([Listener]). It
// knows neither protocol.
package stream
