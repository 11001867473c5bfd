package wire

import (
	"context"
	"errors"
	"net"
	"time"
)

// ErrAgain reports that the stream accepts or has no bytes now.
var ErrAgain = errors.New("try again")

// A Wire moves bytes and never blocks. read is called inside the connection's rx gate, write inside its tx
// gate.
type Wire interface {
	// Read fills p with available bytes. io.EOF is the peer's end of the stream.
	Read(p []byte) (int, error)
	// Write writes as many bytes of the list as the stream accepts now.
	Write(list [][]byte) (int, error)
	// Arm requests that the connection is scheduled when there are bytes to read (rx), when the stream accepts
	// bytes again (tx), or both. Any goroutine may call it, at any rate.
	Arm(rx, tx bool)
	// Armed reports that arriving bytes are noticed without a Read, which would cost a system call.
	Armed() bool
	// ArmEnd requests that the connection is scheduled when the stream is lost and, with fin, when the peer
	// has ended its side. Arriving bytes cause nothing.
	ArmEnd(fin bool)
	// Leave is called when nothing is armed and nothing will be for a while, so that events cost nothing until
	// then.
	Leave()
	// Ended reports, without reading bytes, whether an end of the stream was reported; err tells how the
	// stream was lost, if it was. It is called inside rx.
	Ended() (told bool, err error)
	// Release stops all events and returns the stream for its last bytes. The caller has made sure that nobody
	// is in read or write. Release may wait until the stream has taken what Write has accepted, but not much
	// longer than ctx.
	Release(ctx context.Context) (net.Conn, error)
}

// A Maker is a net.Conn that makes a wire of its own: for a stream that is simulated. wake schedules the connection.
type Maker interface {
	NewWire(wake func()) Wire
}

// New returns the wire that a stream makes, or else a pump of this adapter. wake schedules the connection.
func New(conn net.Conn, adapter string, wake func()) Wire {
	if m, ok := conn.(Maker); ok {
		return m.NewWire(wake)
	}
	return NewPump(conn, adapter, wake)
}

// LingerTime bounds how long a connection that has ended waits until its last bytes are accepted.
const LingerTime = 2 * time.Second

// PartingTime is LingerTime for a connection that has ended in order, whose peer may be promised its last bytes. The
// system sends them again until they arrive, however long the network takes. But if the stream is closed and then
// something comes of the peer, a late answer or credit, the system resets the stream, and what has not arrived is lost.
const PartingTime = 30 * time.Second
