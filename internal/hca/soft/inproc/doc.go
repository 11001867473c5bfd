// Package inproc is the path between two queue pairs of one process. An operation is a copy.
// The poster makes a small one itself; the engine continues larger ones, a piece at a time.
//
//	the services of the process   listen.go
//	connecting                    connect.go
//	a connection                  conn.go
//	posting, small writes         post.go
//	carrying out requests         transfer.go
//
// A line of code in this package may touch both queue pairs of a connection: the memory of
// either side, the requests of its own queue pair and the receives of the peer. It does so
// inside the send gate (QP.Tx) of its own queue pair; there is no other gate. The peer's
// requests belong to the peer's gate. The package imports no other path.
package inproc
