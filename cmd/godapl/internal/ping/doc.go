// Package ping is godapl ping. It pings by RDMA, and speaks with the rping of rdma-core.
//
// The flags, the port and the messages are those of the C program in rdma-core's
// package rdmacm-utils, so either side may be that: docs/interop.md shows it
// with Linux's software iWARP, from a machine that has no RDMA at all.
//
// # What a ping is
//
// The client fills memory with a text and tells the server, in a message of 16
// bytes, where it is. The server reads it from there and answers. The client
// tells where it wants it back. The server writes it there and answers. So each
// ping takes a send in both directions twice, a read, and a write; no code of
// the client's runs for the latter two.
//
// The files in the order of the story: message.go, client.go, server.go. In line.go
// are the messages of both.
package ping
