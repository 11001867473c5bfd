package stream

import (
	"errors"
	"net"
)

// errAgain reports that the stream accepts or has no bytes now.
var errAgain = errors.New("try again")

// A wire moves bytes and never blocks. read is called inside the connection's rx gate, write inside its tx
// gate.
type wire interface {
	// read fills p with available bytes. io.EOF is the peer's end of the stream.
	read(p []byte) (int, error)
	// write writes as many bytes of the list as the stream accepts now.
	write(list [][]byte) (int, error)
	// arm requests that the connection is scheduled when there are bytes to read (rx), when the stream accepts
	// bytes again (tx), or both. Any goroutine may call it, at any rate.
	arm(rx, tx bool)
	// armEnd requests that the connection is scheduled when the stream is lost and, with fin, when the peer
	// has ended its side. Arriving bytes cause nothing.
	armEnd(fin bool)
	// leave is called when nothing is armed and nothing will be for a while, so that events cost nothing until
	// then.
	leave()
	// ended reports, without reading bytes, whether an end of the stream was reported; err tells how the
	// stream was lost, if it was. It is called inside rx.
	ended() (told bool, err error)
	// release stops all events and returns the stream for its last bytes. The caller has made sure that nobody
	// is in read or write.
	release() (net.Conn, error)
}
