package integration_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"testing"
	"time"
)

// tlsFabric is a fabric over TLS 1.3, with a certificate of its own on both
// sides.
type tlsFabric struct{ config *tls.Config }

func newTLSFabric(t *testing.T) *tlsFabric {
	t.Helper()
	key := made(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		DNSNames: []string{"peer.test"}, IsCA: true, BasicConstraintsValid: true,
	}
	der := made(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
	pool := x509.NewCertPool()
	pool.AddCert(made(x509.ParseCertificate(der))(t))
	return &tlsFabric{config: &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		RootCAs:      pool, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert, ServerName: "peer.test", MinVersion: tls.VersionTLS13,
	}}
}

func (f *tlsFabric) Dial(ctx context.Context, address string) (net.Conn, error) {
	d := tls.Dialer{Config: f.config}
	return d.DialContext(ctx, "tcp", address)
}

func (f *tlsFabric) Listen(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return tls.NewListener(ln, f.config), nil
}
