package tlstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"time"
)

// An Authority signs certificates.
type Authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

// NewAuthority makes an authority. A failure is the system's and panics.
func NewAuthority() *Authority {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := template("authority")
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	der := must(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))
	a := &Authority{cert: must(x509.ParseCertificate(der)), key: key, pool: x509.NewCertPool()}
	a.pool.AddCert(a.cert)
	return a
}

// Pool has the authority.
func (a *Authority) Pool() *x509.CertPool { return a.pool }

// Config is a configuration for both roles: it trusts the authority and has a certificate of its own for this name,
// for localhost and for this host's loopback addresses.
func (a *Authority) Config(name string) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{a.Certificate(name, time.Now().Add(time.Hour))}, RootCAs: a.pool}
}

// Certificate makes a certificate for this name that is valid until then.
func (a *Authority) Certificate(name string, until time.Time) tls.Certificate {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	t := template(name)
	t.NotAfter = until
	t.NotBefore = until.Add(-2 * time.Hour)
	t.KeyUsage = x509.KeyUsageDigitalSignature
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	t.DNSNames = []string{name, "localhost"}
	t.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	der := must(x509.CreateCertificate(rand.Reader, t, a.cert, &key.PublicKey, a.key))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func template(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: must(rand.Int(rand.Reader, big.NewInt(1<<62))), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
