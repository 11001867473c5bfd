// Package keydir is the key directory: a table in shared memory in which a process tells its peers what the keys of an
// adapter stand for, so that they can access its memory directly. The process writes it, and its peers read it. A missing
// entry costs only speed: a peer that does not find a key, or not the right it needs, sends a request, and the key table
// decides.
//
//	what the process writes   directory.go
//	what its peers read       view.go record.go
//
// A key has one of the ways records of its bucket, or none if all are in use. The first word of a record is the key and a
// generation: each time a record is written, it gets another one. A record is valid while its first word does not change.
// A reader compares that before and after it copies the record, and before it uses what it has copied earlier.
//
// A line of code in this package may touch the table. It knows keys as numbers, and neither regions nor connections.
package keydir
