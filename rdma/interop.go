package rdma

import "time"

// Interop has what peers need that are not this library. Its zero value is right for
// peers that are.
type Interop struct {
	// SpeakAfter is for peers that wait for the listening side to begin, which iWARP
	// does not allow (RFC 5044 section 7.1.2): over TCP, what the listening side sends
	// waits until the peer's first bytes are there. With SpeakAfter it goes out that long
	// after the request was accepted; some 50 ms will do for Linux's siw. A peer that is
	// not ready by then ends the connection. 0: it waits for the peer.
	SpeakAfter time.Duration
}
