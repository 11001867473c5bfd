package rdma

import (
	"log/slog"
	"time"
)

// OpenConfig configures Open. The zero value is valid.
type OpenConfig struct {
	// Async takes the asynchronous errors. nil: they go to [Adapter.Async].
	Async *Sink[AsyncError]
	// Log gets messages for operators. nil: no logging.
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
}
