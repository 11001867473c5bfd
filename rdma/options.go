package rdma

import (
	"crypto/tls"
	"log/slog"
	"time"
)

// OpenConfig configures Open. The zero value is valid.
type OpenConfig struct {
	// Async takes the asynchronous errors. nil: they go to [Adapter.Async].
	Async *Sink[AsyncError]
	// Log gets messages for operators. nil: no logging. At Info it gets connections that were made, lost
	// (with the cause) and refused: ten of each in a second, and how many more there were. Its
	// handler is called on a goroutine of its own, with no lock held: it may wait, and call the library.
	// Up to 256 messages wait for it; what is more is dropped and counted in a message. Close waits for
	// the handler, at most a second. Only the handler's Enabled is called from inside the library.
	Log *slog.Logger
	// ReceiveWait bounds how long a message waits for the peer's program to post a receive
	// before the connection is broken. 0: one second. Negative: it does not wait.
	ReceiveWait time.Duration
	// ListenWait bounds how long Connect retries while the address has no listener, within its
	// context: for peers that publish their address before they listen. 0: no retries. RDMA
	// devices ignore it.
	ListenWait time.Duration
	// Capture, with a path, makes the adapter record its network traffic in files. Without a
	// path the environment decides.
	Capture Capture
	// FlightRecorder makes each connection record its last events: see [Conn.Flight]. It costs 4 KiB
	// for a connection. Without it, the environment variable GODAPL_FLIGHT=1 has the same effect.
	FlightRecorder bool
	// Latency makes each connection measure how long requests take from the post to the completion:
	// see Stats.Latency. An operation takes some 70 ns longer, and a connection
	// 1 KiB more for each kind of operation that it has done. Without it, the environment variable
	// GODAPL_LATENCY=1 has the same effect.
	Latency bool
	// TLS, if set, secures every connection of "soft", of "soft-tcp" and of a [Fabric]'s adapter
	// with TLS 1.3 (RFC 8446, crypto/tls); iWARP runs inside it, unchanged. Both sides
	// authenticate, before the program learns of a request: [Conn.TLS] and [ConnRequest.TLS] say
	// who the peer is. "soft" then uses the network for peers on the same host, too. Other
	// adapters refuse with ErrUnsupported. Open keeps a copy.
	//
	// A listener needs Certificates or GetCertificate, and ClientCAs or RootCAs; otherwise Listen
	// fails with ErrInvalid. It demands the peer's certificate unless ClientAuth says otherwise
	// (tls.NoClientCert, the zero value, does not). A dialer expects the host of the address as the
	// name in the certificate, unless ServerName is set. Both offer the protocol "iwarp" if
	// NextProtos is empty. Sessions are resumed: crypto/tls then checks the certificates of the
	// first handshake, calls VerifyConnection, and does not call VerifyPeerCertificate. All this
	// holds for what GetConfigForClient returns, too; Listen does not see it, so a configuration
	// that lacks something fails the handshake.
	//
	// The streams of a [Fabric] must then buffer bytes, more than the certificates of the dialer
	// take: behind the handshake both sides write before they read. A net.Pipe, which buffers
	// nothing, blocks the dial until its context ends, unless SessionTicketsDisabled is set at the
	// listener.
	//
	// A handshake that fails, and a peer without TLS, give ErrRefused with "TLS" in its text; at the
	// listener they go to Log. There is no twin in uDAPL; [dat.Provider] takes these options.
	//
	// [dat.Provider]: https://pkg.go.dev/github.com/godapl/godapl/compat/dat#Provider
	TLS *tls.Config
	// TLSNetworkOnly, with TLS, lets "soft" use memory within the process, and between processes
	// of the same user on the same host. Such a connection has no TLS: the peer is admitted because
	// the kernel says that it is of this user, and Conn.TLS is nil. Without TLS it is ErrInvalid.
	TLSNetworkOnly bool
}
