package rdma_test

import (
	"crypto/tls"
	"errors"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/tlstest"
	"github.com/godapl/godapl/rdma"
)

// TestTLSConfigForClient: a configuration that the program chooses for a peer lets nobody in whom the program's own
// one would not.
func TestTLSConfigForClient(t *testing.T) {
	ours, others := tlstest.NewAuthority(), tlstest.NewAuthority()
	with := func(change func(*tls.Config)) *tls.Config {
		c := ours.Config("peer.test")
		change(c)
		return c
	}
	good := with(func(*tls.Config) {})
	nobody := with(func(c *tls.Config) { c.Certificates = nil })
	foreign := with(func(c *tls.Config) {
		c.Certificates = []tls.Certificate{others.Certificate("peer.test", time.Now().Add(time.Hour))}
	})
	old := with(func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 })
	mute := with(func(c *tls.Config) { c.Certificates = nil })
	trusting := with(func(c *tls.Config) { c.RootCAs = nil })
	for _, x := range []struct {
		name                 string
		base, chosen, dialer *tls.Config
		err                  error
		want                 string
	}{
		{"a peer without a certificate", good, good, nobody, nil, "refuses this side's certificate"},
		{"a peer without a certificate, own configuration", good, nil, nobody, nil, "refuses this side's certificate"},
		{"a peer of another authority", good, good, foreign, nil, "refuses this side's certificate"},
		{"an older version", good, old, good, nil, "ended the handshake"},
		{"no certificate chosen", good, mute, good, nil, "ended the handshake"},
		{"no authorities chosen", good, trusting, good, nil, "ended the handshake"},
		{"own configuration has no authorities", trusting, nil, good, nil, "ended the handshake"},
		{"the program refuses", good, nil, good, errors.New("not now"), "ended the handshake"},
	} {
		t.Run(x.name, func(t *testing.T) {
			listener := x.base.Clone()
			listener.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return x.chosen, x.err }
			dialer := x.dialer.Clone()
			dialer.RootCAs = good.RootCAs // of a dialer that trusts the listener
			refusedByTLS(t, "soft-tcp", listener, dialer, x.want)
		})
	}
	for name, chosen := range map[string]*tls.Config{"chosen": good, "own": nil} {
		t.Run(name, func(t *testing.T) {
			listener := good.Clone()
			listener.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return chosen, nil }
			server, _ := openTLS(t, "soft-tcp", rdma.OpenConfig{TLS: listener})
			client, _ := openTLS(t, "soft-tcp", rdma.OpenConfig{TLS: good})
			ln, requests, _ := accepting(t, server)
			c, err := dialed(t, client, ln.Addr().String())
			must(t, err)
			if r := <-requests; r.PeerCertificate() == nil || r.TLS().Version != tls.VersionTLS13 || c.TLS().NegotiatedProtocol != "iwarp" {
				t.Errorf("the request has %+v", r.TLS())
			}
		})
	}
	if good.ClientAuth != tls.NoClientCert || good.ClientCAs != nil || good.NextProtos != nil {
		t.Error("the program's configuration was changed")
	}
}
