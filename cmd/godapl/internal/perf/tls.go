package perf

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"
)

// With -tls both sides have the same certificate, made for the measurement, which travels with the configuration: it
// costs what another would, and protects nothing.

const tlsName = "perf.test"

// checkTLS refuses what has no TLS.
func (c *config) checkTLS() error {
	switch {
	case !c.TLS:
		return nil
	case c.Path != "tcp":
		return fmt.Errorf("-tls is for -path tcp, not %s", c.Path)
	case c.API != "native":
		return fmt.Errorf("-tls goes without -api %s", c.API)
	case c.Vs == "raw" && c.Op == "send" && c.Mode == "poll":
		return errors.New("-tls: crypto/tls does not poll; -vs net, or another -mode")
	case c.Vs != "" && c.Vs != "net" && c.Vs != "netchan" && c.Vs != "raw" && c.Vs != "one", c.Vs != "" && c.Connections > 0:
		return fmt.Errorf("-tls: what -vs %s compares with has no TLS; there are net, netchan and raw, without -connections", c.Vs)
	}
	return nil
}

// pathText is the path for people.
func (c *config) pathText() string {
	if c.TLS {
		return c.Path + " with TLS"
	}
	return c.Path
}

// certify makes the certificate, unless there is one.
func (c *config) certify() error {
	if !c.TLS || c.Certificate != nil {
		return nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	now := time.Now()
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: tlsName}, DNSNames: []string{tlsName},
		NotBefore: now.Add(-24 * time.Hour), NotAfter: now.Add(24 * time.Hour), // the other host's clock may differ
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	c.Certificate = append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...)
	return nil
}

// tls is the configuration of both roles; nil without -tls. Both demand the peer's certificate, as the adapter does.
func (c *config) tls() (*tls.Config, error) {
	if !c.TLS {
		return nil, nil
	}
	pair, err := tls.X509KeyPair(c.Certificate, c.Certificate)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AddCert(pair.Leaf)
	return &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: pool, ClientCAs: pool, ServerName: tlsName,
		ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS13}, nil
}

// secure does the handshake of a bare connection, of which role makes one of crypto/tls. Without -tls it returns conn.
func (c *config) secure(ctx context.Context, conn net.Conn, role func(net.Conn, *tls.Config) *tls.Conn) (net.Conn, error) {
	cfg, err := c.tls()
	if cfg == nil || err != nil {
		return conn, err
	}
	s := role(conn, cfg)
	return s, s.HandshakeContext(ctx)
}
