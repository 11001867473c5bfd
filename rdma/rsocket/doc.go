// Package rsocket is sockets over RDMA: a [net.Conn] and a [net.Listener] on any adapter of package
// rdma, for programs that use these interfaces.
//
//	ln, err := rsocket.Listen(ctx, adapter, "192.0.2.1:7471", rsocket.Config{})
//	…
//	err = http.Serve(ln, handler)
//
// The protocol is that of rsocket(7), which the library librdmacm of rdma-core has for C programs:
// bytes are written directly into a ring of the peer, and a message of 32 bits contains their number.
// The only specification is rdma-core's source. uDAPL has no counterpart.
//
// # Sizes
//
// Each connection has a receive ring, which is small at first. It grows, up to a limit ([Config]), when
// the peer sends faster than the program reads. Growing is part of the protocol: the peer gets the
// address of other memory, which every implementation supports.
//
// # Security
//
// Each connection has a zone of its own, so a peer can write into the ring of its connection and
// nowhere else. A peer that violates the protocol loses its connection, with [ErrProtocol]. Bytes are
// neither encrypted nor authenticated: use crypto/tls on a [Conn], as on any net.Conn.
//
// # Limits
//
// The package was tested with programs of C, rdma-core 44, over Linux's software devices rxe and siw:
// rstream, rcopy, and nc and curl under librspreload. No hardware was tested.
//
// Zero-copy transfers of rsockets (riomap) are refused, as the protocol allows. Rings do not shrink.
// Datagram rsockets are a different protocol, which is not implemented.
package rsocket
