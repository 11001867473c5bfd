package secure

import (
	"crypto/tls"
	"net"
	"strings"

	"github.com/godapl/godapl/internal/hca"
)

// Protocol is the name of iWARP in the application protocols (ALPN) that both sides offer, unless the program's
// configuration has names of its own.
const Protocol = "iwarp"

// A Config is a program's configuration with this package's defaults, for both roles.
type Config struct {
	client, server *tls.Config
}

// NewConfig completes a program's configuration, of which it keeps a copy. Both roles want TLS 1.3: it has no
// renegotiation, which would need a handshake in the middle of a connection. A listener wants the peer's
// certificate, and by default trusts the authorities that a dialer trusts. What GetConfigForClient returns is
// completed and checked in the same way.
func NewConfig(cfg *tls.Config) (*Config, error) {
	base, err := complete(cfg)
	if err != nil {
		return nil, hca.Named(err, "open", "")
	}
	c := &Config{client: base, server: forListener(base.Clone())}
	if c.client.ClientSessionCache == nil {
		c.client.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	}
	if choose := c.server.GetConfigForClient; choose != nil {
		c.server.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			chosen, err := choose(hello)
			switch {
			case err != nil:
				return nil, err
			case chosen == nil:
				return nil, check(c.server)
			}
			if chosen, err = complete(chosen); err != nil {
				return nil, err
			}
			chosen = forListener(chosen)
			return chosen, check(chosen)
		}
	}
	return c, nil
}

// complete returns a copy with what both roles need.
func complete(cfg *tls.Config) (*tls.Config, error) {
	if cfg.MaxVersion != 0 && cfg.MaxVersion < tls.VersionTLS13 {
		return nil, hca.NewError(hca.Invalid, "", "", "TLS: the configuration excludes TLS 1.3, and older versions are not supported")
	}
	cfg = cfg.Clone()
	cfg.MinVersion = tls.VersionTLS13
	cfg.DynamicRecordSizingDisabled = true // a frame is used when it is whole, so small records only cost
	if len(cfg.NextProtos) == 0 {
		cfg.NextProtos = []string{Protocol}
	}
	return cfg, nil
}

// forListener adds what a listener wants of its peers.
func forListener(cfg *tls.Config) *tls.Config {
	if cfg.ClientAuth == tls.NoClientCert {
		cfg.ClientAuth = tls.RequireAndVerifyClientCert
	}
	if cfg.ClientCAs == nil {
		cfg.ClientCAs = cfg.RootCAs
	}
	return cfg
}

// CheckListen reports what a listener lacks. If the program has a configuration for each peer, each is checked
// when it is used.
func (c *Config) CheckListen() error {
	if c.server.GetConfigForClient != nil {
		return nil
	}
	return check(c.server)
}

// check reports what a listener's configuration lacks. Without authorities, crypto/tls would accept every
// certificate that the system trusts, which is anybody with a domain.
func check(s *tls.Config) error {
	switch {
	case len(s.Certificates) == 0 && s.GetCertificate == nil:
		return hca.NewError(hca.Invalid, "", "", "TLS: a listener needs a certificate (Certificates or GetCertificate)")
	case s.ClientCAs == nil && s.ClientAuth >= tls.VerifyClientCertIfGiven:
		return hca.NewError(hca.Invalid, "", "", "TLS: a listener needs to know whose certificates it accepts (ClientCAs or RootCAs)")
	}
	return nil
}

// Client makes a stream that begins a handshake with the peer at address, whose host is the expected name.
func (c *Config) Client(conn net.Conn, address string) *Stream {
	cfg := c.client
	if cfg.ServerName == "" {
		cfg = cfg.Clone()
		cfg.ServerName = nameOf(address)
	}
	s := newStream(conn)
	s.tls = tls.Client(&s.carrier, cfg)
	return s
}

// Server makes a stream that awaits a handshake.
func (c *Config) Server(conn net.Conn) *Stream {
	s := newStream(conn)
	s.tls = tls.Server(&s.carrier, c.server)
	return s
}

// nameOf is the name that the certificate of the peer at an address must have.
func nameOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address // of a fabric
	}
	host, _, _ = strings.Cut(host, "%") // the zone of an IPv6 address means nothing to the peer
	if host == "" {
		return "localhost"
	}
	return host
}
