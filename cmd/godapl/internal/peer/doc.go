// Package peer lets the doctors of two hosts talk. One of them serves; the other asks it for
// its report, tries its adapters, and tells it the results, so that both have the view of both.
//
// They talk over plain TCP, in JSON: that works where RDMA does not. Nothing is authenticated
// or encrypted. A client learns the server's report, and can make the server listen for tests
// for a minute; it can write memory that was made for it, and nothing else. All that comes
// from the other side is bounded in size and time.
package peer
