package rdma

import "time"

// Interop has compatibility settings for peers that use another implementation. The zero value
// is right for peers that use this library.
type Interop struct {
	// SpeakAfter is for peers that expect the listening side to send first, which iWARP does
	// not allow (RFC 5044 section 7.1.2): over TCP, the listening side holds its messages back
	// until the peer's first bytes arrive. With SpeakAfter it sends that long after the
	// request was accepted; 50 ms is enough for Linux's siw. A peer that is not ready by then
	// ends the connection. 0: it waits for the peer.
	SpeakAfter time.Duration
}
