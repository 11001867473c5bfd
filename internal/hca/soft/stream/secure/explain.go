package secure

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/errno"
)

// Explain says in an error of the contract why a handshake has failed, or the first bytes after it: with TLS 1.3
// a dialer learns only there that its certificate is refused. peer is "the listener" or "the peer". Errors that
// have nothing to do with TLS come back unchanged.
func Explain(err error, peer string) error {
	refused := func(why string) error { return hca.Wrap(hca.Refused, "", "", "TLS: "+why, err) }
	var header tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	var name x509.HostnameError
	var op *net.OpError
	switch {
	case errors.As(err, &header):
		return refused(peer + " does not use TLS")
	case errors.As(err, &name):
		return refused("the certificate of " + peer + " has another name; set ServerName if it is the right one")
	case errors.As(err, &verify):
		return refused("this side does not accept the certificate of " + peer)
	case IsRefusal(err) && errors.As(err, &op):
		return refused(peer + " has ended the handshake; if it is because of a certificate, it is this side's")
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return hca.Wrap(hca.Timeout, "", "", "TLS: "+peer+" does not continue the handshake: does it use TLS?", err)
	case errors.Is(err, context.Canceled), errors.Is(err, net.ErrClosed):
		return err
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, errno.Reset), errors.Is(err, errno.Pipe):
		return refused(peer + " has ended the stream during the handshake: does it use TLS?")
	}
	return refused("the handshake with " + peer + " has failed")
}

// IsRefusal recognizes the peer's alert.
func IsRefusal(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error"
}

// IsHello recognizes the beginning of a TLS client's first record.
func IsHello(b []byte) bool { return len(b) >= 2 && b[0] == handshakeType && b[1] == 3 }

const handshakeType = 22
