package secure

import (
	"context"
	"crypto/tls"
	"net"
	"time"
)

// A Stream is a stream with TLS. As a net.Conn it blocks; between Detach and Attach, ReadNow and WriteNow take the
// place of Read and Write.
type Stream struct {
	tls     *tls.Conn
	carrier carrier

	// Of the receiving side.
	full  bool  // the last read of tls filled its buffer: there may be more inside
	ended error // what the next ReadNow returns
	left  leftFlag

	// Of the sending side. owed: one byte that the caller offers next has been encrypted and not reported.
	owed bool
}

func newStream(conn net.Conn) *Stream {
	s := &Stream{}
	s.carrier.init(conn)
	return s
}

// Handshake does the handshake. The stream's deadline bounds it, too.
func (s *Stream) Handshake(ctx context.Context) error { return s.tls.HandshakeContext(ctx) }

// First waits for the stream's first bytes, and returns those that have arrived. They stay unread.
func (s *Stream) First() ([]byte, error) { return s.carrier.peek() }

// Under is the stream without TLS, for a peer that does not use it: First's bytes, and what follows them.
func (s *Stream) Under() net.Conn { return s.carrier.plain() }

// State describes the handshake: the peer's certificates, and what was agreed upon.
func (s *Stream) State() *tls.ConnectionState {
	state := s.tls.ConnectionState()
	return &state
}

// BeforeWaits has Read call f each time before it waits for bytes of the stream below; nil: no more. It belongs to the reading
// side.
func (s *Stream) BeforeWaits(f func()) { s.carrier.waits = f }

func (s *Stream) Read(p []byte) (int, error) {
	n, err := s.tls.Read(p)
	s.full = n == len(p)
	return n, err
}

func (s *Stream) Write(p []byte) (int, error) {
	skip := 0
	if s.owed && len(p) > 0 {
		skip, s.owed = 1, false
	}
	n, err := s.tls.Write(p[skip:])
	return n + skip, err
}

// CloseWrite tells the peer that nothing follows: by TLS's own alert, which nobody between can make, and by the
// end of the stream, which the peer's system notices. The stream's write deadline bounds it.
func (s *Stream) CloseWrite() error {
	if err := s.tls.CloseWrite(); err != nil {
		return err
	}
	return s.carrier.closeWrite()
}

// Close closes the stream at once, without an alert.
func (s *Stream) Close() error { return s.carrier.Close() }

func (s *Stream) LocalAddr() net.Addr                { return s.carrier.local }
func (s *Stream) RemoteAddr() net.Addr               { return s.carrier.remote }
func (s *Stream) SetDeadline(t time.Time) error      { return s.carrier.SetDeadline(t) }
func (s *Stream) SetReadDeadline(t time.Time) error  { return s.carrier.SetReadDeadline(t) }
func (s *Stream) SetWriteDeadline(t time.Time) error { return s.carrier.setWriteDeadline(t) }
