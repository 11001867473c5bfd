// Package soft is the software adapter: RDMA that needs nothing installed.
//
// It has three paths, of which one is chosen when a connection is made. Two queue pairs of
// one process are joined directly (path "loop", package inproc). Two processes of one host and
// user share memory (path "shm", package sharedmem). Otherwise a connection is iWARP over a TCP
// stream (path "tcp", package stream), or over the streams of a program's own Fabric.
//
// # Packages
//
// Imports point down only:
//
//	soft                         which path is tried when, the order of opening and closing
//	inproc | stream | sharedmem  one path each; they never import one another
//	recvhalf, local              what receive halves share; connecting in one process
//	core                         queues, keys, queue pairs; knows a path through Transport and Path
//	progress                     the goroutines of an adapter: engine, poller, watch
//	gate, hostport               share a half of a connection without waiting; addresses
//
// A rule in internal/lint keeps that. Each package says what a line of code in it may touch.
//
// In this package itself, a line of code decides in which order paths are tried (connect.go,
// retry.go, listen.go) and how an adapter is opened and closed (driver.go, adapters.go). It
// touches no data.
//
// # Progress
//
// Any goroutine that is at hand makes progress: the poster, a consumer that polls, and the
// engine, a few goroutines that do what those two leave. Each half of a connection has a gate,
// inside which one of them is at a time; the others leave a mark and go on. Sockets are
// non-blocking. The adapter's own poller watches them, and disarms a socket when it reports
// it: while a consumer polls a connection, nobody else is woken for it. The poll watch arms
// the socket again when the polling has stopped.
package soft
