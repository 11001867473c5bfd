// Package wire holds tests of rdma/mailbox against a peer that was made from its page, docs/mailbox.md, and from
// nothing else: a sender and a mailbox on the native API. There is nothing in it to import.
//
// They show that the page is enough for an implementation of one's own, in another language for instance, and that
// neither side is harmed by a peer that does not keep to it.
package wire
