package stream

import (
	"errors"
	"net"
)

// errAgain says that the stream takes or has nothing now.
var errAgain = errors.New("try again")

// A wire moves bytes without ever blocking. read is called inside the
// connection's rx gate, write inside its tx gate.
type wire interface {
	// read fills p with what is there. io.EOF is the peer's end.
	read(p []byte) (int, error)
	// write takes as many bytes of the list as the stream accepts now.
	write(list [][]byte) (int, error)
	// arm asks that the connection be scheduled when there is something to
	// read (rx), when the stream takes bytes again (tx), or both. It may be
	// called by anyone, and often.
	arm(rx, tx bool)
	// armEnd asks that the connection be scheduled when the stream is lost, and
	// with fin when the peer has ended its side. Bytes do not matter.
	armEnd(fin bool)
	// leave is for when nothing is armed, and nothing will be for a while: whatever
	// would be told of costs nothing then.
	leave()
	// ended tells, without taking bytes, whether there has been word of an end
	// of the stream; err is how it was lost, if it was. It is called inside rx.
	ended() (told bool, err error)
	// release stops all that and hands the stream back, for its last moments.
	// The caller has made sure that nobody is in read or write.
	release() (net.Conn, error)
}
