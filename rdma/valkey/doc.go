// Package valkey has connections to Valkey over RDMA: a [net.Conn] that client libraries take in place of
// one over TCP, on any adapter of package rdma that has writes with immediate data.
//
//	dialer := valkey.Dialer{Adapter: adapter}
//	client := redis.NewClient(&redis.Options{Addr: "192.0.2.1:6379", Dialer: dialer.DialContext})
//
// The RDMA module of valkey-server, 8.0 and later, defines the protocol. Redis has no such module. What
// clients and servers say to each other is the same as over TCP.
//
// # The protocol
//
// Each side has one buffer that the peer writes, front to back, with the number of bytes as immediate
// data. When all of the buffer has been written and read, its owner tells the peer to begin anew. So
// each direction has a pause of a round trip for each buffer full, 1 MiB by default. There is no
// half-close, and no encryption: crypto/tls works on a [Conn] as on any other, if the peer has it.
//
// Adapters for iWARP devices, Linux's siw among them, have no immediate data: [Dialer] then
// fails with rdma.ErrUnsupported. The software adapter has it between its own ends on every path.
//
// # Servers
//
// [Listener] is the server's side of the same protocol, for tests, and for servers in Go.
//
// # Security
//
// Each connection has a zone of its own, so a peer can write into the buffer of its connection and
// nowhere else. What a peer does against the protocol ends its connection with [ErrProtocol].
package valkey
