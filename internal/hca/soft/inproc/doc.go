// Package inproc is the path between two queue pairs of one process. An operation is a copy
// that the poster makes, if it is small; larger ones go on in the engine, a piece at a time.
//
//	the services of the process   listen.go
//	connecting                    connect.go
//	a connection                  conn.go
//	posting, small writes         post.go
//	carrying out requests         transfer.go
//
// A line of code in here may touch both queue pairs of a connection: the memory of either
// side, the requests of its own queue pair and the receives of the peer. It does so inside
// the gate of the sending half (QP.Tx) of its own queue pair; there is no other gate. The
// peer's requests belong to the peer's gate. The package imports no other path.
package inproc
