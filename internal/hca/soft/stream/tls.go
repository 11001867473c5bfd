package stream

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/connreq"
	"github.com/godapl/godapl/internal/hca/soft/stream/captured"
	"github.com/godapl/godapl/internal/hca/soft/stream/secure"
	"github.com/godapl/godapl/internal/iwarp"
)

// With Options.TLS each stream is a TLS connection, and what it carries is iWARP as without. A capture shows the
// bytes inside. If only one side has TLS, both are told at once.

// needsTLS is the private data of a reject by a listener with TLS, whose peer has none.
var needsTLS = []byte("godapl\x00\x04")

// useTLS makes the fabric one with TLS if the options request it.
func (p *Path) useTLS() error {
	if p.a.Options.TLS == nil {
		return nil
	}
	cfg, err := secure.NewConfig(p.a.Options.TLS)
	if err != nil {
		return hca.Named(err, "open", p.a.Attrs.Name)
	}
	p.fabric = &secure.Fabric{Under: p.fabric, Config: cfg}
	return nil
}

// secured returns the TLS stream that conn is, captured or not; nil for a plain one.
func secured(conn net.Conn) *secure.Stream {
	conn, _ = captured.Unwrap(conn)
	s, _ := conn.(*secure.Stream)
	return s
}

// stateOf describes the TLS of a stream; nil for a plain one.
func stateOf(conn net.Conn) *tls.ConnectionState {
	if s := secured(conn); s != nil {
		return s.State()
	}
	return nil
}

// handshake does the handshake of an accepted stream, if it has TLS. Only after it does the peer's request count.
func (s *listener) handshake(conn net.Conn) error {
	t := secured(conn)
	if t == nil {
		return nil
	}
	s.limit(conn, conn.SetDeadline)
	defer conn.SetDeadline(time.Time{})
	first, err := t.First()
	switch {
	case err == io.EOF:
		return errLeft
	case err != nil:
		return secure.Explain(err, "the peer")
	}
	if _, _, err := iwarp.ParseRequest(first, new(iwarp.Frame)); err != iwarp.ErrKey {
		return s.rejectPlain(t.Under())
	}
	if err := t.Handshake(s.p.a.Background.Context()); err != nil {
		return &answered{secure.Explain(err, "the peer"), t.Under()} // by an alert
	}
	return nil
}

// rejectPlain answers the request of a peer without TLS.
func (s *listener) rejectPlain(conn net.Conn) error {
	refusal := hca.NewError(hca.Refused, "accept", "", "TLS: the peer does not use TLS")
	f, err := s.readRequest(conn)
	if err != nil {
		return refusal
	}
	b, err := iwarp.AppendReply(nil, &iwarp.Frame{Revision: f.Revision, CRC: true, Reject: true, Private: needsTLS, Enhanced: f.Enhanced})
	if err != nil {
		return refusal
	}
	_ = conn.SetWriteDeadline(time.Now().Add(connreq.RequestTime))
	_, _ = conn.Write(b)
	return &answered{refusal, conn}
}

// rejectTLS answers the handshake of a peer with TLS, at a listener without: no TLS begins as this reply does.
func rejectTLS(conn net.Conn) error {
	refusal := hca.NewError(hca.Refused, "accept", "", "TLS: the peer uses TLS, and this listener does not (OpenConfig.TLS)")
	b, err := iwarp.AppendReply(nil, &iwarp.Frame{Revision: iwarp.Revision2, Reject: true, CRC: true})
	if err != nil {
		return refusal
	}
	_ = conn.SetWriteDeadline(time.Now().Add(connreq.RequestTime))
	_, _ = conn.Write(b)
	return &answered{refusal, conn}
}

// tlsError explains an answer that has to do with TLS; nil for any other.
func tlsError(address string, err error, private []byte) error {
	switch {
	case bytes.Equal(private, needsTLS):
		return hca.NewError(hca.Refused, "connect", address, "TLS: the listener requires it, and this side does not use it (OpenConfig.TLS)")
	case err != nil && secure.IsRefusal(err):
		return hca.Wrap(hca.Refused, "connect", address, "TLS: the listener refuses this side's certificate, or was sent none: see Certificates of OpenConfig.TLS", err)
	}
	return nil
}
