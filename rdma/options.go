package rdma

import (
	"log/slog"
	"time"
)

// OpenConfig says how an adapter is opened. The zero value is good.
type OpenConfig struct {
	// Async is where asynchronous errors go. nil: to a dispatcher of the
	// adapter's own, [Adapter.Async].
	Async *Sink[AsyncError]
	// Log takes what an operator may want to know. nil logs nothing.
	Log *slog.Logger
	// ReceiveWait bounds how long a message waits for the peer's program to post
	// a receive before the connection is broken. 0: one second. Negative: not
	// at all.
	ReceiveWait time.Duration
	// ListenWait bounds how long Connect goes on trying where nobody listens yet,
	// within its context: for peers that say where they are before they listen. 0:
	// not at all. Devices take no notice of it.
	ListenWait time.Duration
	// Capture, with a path, has the adapter write what goes over its wire to
	// files. Without one the environment decides.
	Capture Capture
}
