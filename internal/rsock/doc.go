// Package rsock is the protocol of stream rsockets, as rdma-core has them (rsocket(7)), without
// a connection: bytes and counters only. It has no clock, no memory of its own and no goroutine,
// so that every order of events can be tried on it.
//
// Each side owns a receive ring of two halves and a table of [Entries] entries. An [Entry] in the
// table names a half of the peer's ring, and the peer writes it there. Bytes of the stream are
// RDMA-written into the half that the current entry names. After each write comes a [Message]
// of 32 bits: as the immediate data of the write, or, on iWARP, which here has none, as a
// send of four bytes behind it.
//
// A [Hello] is the private data of both sides at connection time. A [Sender] knows how much may be
// written and where, a [Receiver] what has arrived and what to announce, and [Ends] which
// direction is closed. Each of them reports what a peer does against the protocol as an error.
package rsock
