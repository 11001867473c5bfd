// Package ops is the table of operations: what a request or a receive needs, what it does at the peer, and its
// names. Adapters read it instead of listing operations, so that a new operation is a row here and the code
// that carries it out. See "Adding an operation" in docs/architecture.md.
package ops
