// Package selftest tries an adapter: a client and a [Partner] connect, and the client writes
// the partner's memory, reads it back, compares, and exchanges a message with the partner.
//
// The partner may be in the same process, in another one, or on another host.
package selftest
