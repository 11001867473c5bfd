// Package connput is how package rsocket has an adapter write bytes of the program that lie in no region to memory of the
// peer. Package rdma, which knows the adapter of a connection, does not export that: its programs write from regions, as on
// all adapters.
package connput

// Put is hca.Putter.Put for a *rdma.Conn, and false if its adapter has no such call. Package rdma sets it.
var Put func(conn any, from []byte, addr uint64, key uint32) bool
