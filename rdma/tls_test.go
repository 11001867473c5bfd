package rdma_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/godapl/godapl/internal/tlstest"
	"github.com/godapl/godapl/rdma"
)

// openTLS opens an adapter that is closed with the test, and returns its log.
func openTLS(t testing.TB, name string, cfg rdma.OpenConfig) (*rdma.Adapter, *operatorLog) {
	t.Helper()
	log := &operatorLog{wrote: make(chan struct{}, 1)}
	cfg.Log = slog.New(slog.NewTextHandler(log, nil))
	a, err := rdma.Open(within(t), name, cfg)
	must(t, err)
	t.Cleanup(func() { must(t, a.Close()) })
	return a, log
}

// operatorLog keeps what is logged.
type operatorLog struct {
	mu    sync.Mutex
	all   bytes.Buffer
	wrote chan struct{} // signals one or more messages
}

func (l *operatorLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.wrote <- struct{}{}:
	default:
	}
	return l.all.Write(p)
}

// await waits until the log has a text.
func (l *operatorLog) await(t testing.TB, want string) {
	t.Helper()
	for ctx := within(t); !strings.Contains(l.String(), want); {
		select {
		case <-l.wrote:
		case <-ctx.Done():
			t.Fatalf("the log has %q, want %q", l, want)
		}
	}
}

func (l *operatorLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// accepting accepts every request of a listener, and returns the requests.
func accepting(t testing.TB, a *rdma.Adapter) (ln *rdma.Listener, requests <-chan *rdma.ConnRequest, conns <-chan *rdma.Conn) {
	t.Helper()
	ln, err := a.Listen(within(t), "127.0.0.1:0", rdma.ListenConfig{})
	must(t, err)
	zone, err := a.NewZone()
	must(t, err)
	all, made := make(chan *rdma.ConnRequest, 64), make(chan *rdma.Conn, 64)
	go func() {
		for r := range ln.Requests() {
			all <- r
			if c, err := r.Accept(context.Background(), rdma.EndpointConfig{Zone: zone}); err == nil {
				made <- c
			}
		}
	}()
	return ln, all, made
}

// dialed connects an adapter with a zone of its own.
func dialed(t testing.TB, a *rdma.Adapter, address string) (*rdma.Conn, error) {
	t.Helper()
	zone, err := a.NewZone()
	must(t, err)
	return a.Dial(within(t), address, rdma.EndpointConfig{Zone: zone})
}

// TestTLSTellsWhoThePeerIs: both sides have the peer's certificate, the accepting side before it answers.
func TestTLSTellsWhoThePeerIs(t *testing.T) {
	authority := tlstest.NewAuthority()
	for _, name := range []string{"soft", "soft-tcp"} {
		t.Run(name, func(t *testing.T) {
			server, _ := openTLS(t, name, rdma.OpenConfig{TLS: authority.Config("server.test")})
			client, _ := openTLS(t, name, rdma.OpenConfig{TLS: authority.Config("client.test")})
			ln, requests, conns := accepting(t, server)
			for dial := range 2 {
				c, err := dialed(t, client, ln.Addr().String())
				must(t, err)
				r, s := <-requests, <-conns
				for _, x := range []struct {
					whose, want string
					state       *tls.ConnectionState
				}{
					{"request", "client.test", r.TLS()}, {"accepted connection", "client.test", s.TLS()}, {"dialed connection", "server.test", c.TLS()},
				} {
					switch {
					case x.state == nil:
						t.Fatalf("the %s has no TLS", x.whose)
					case x.state.PeerCertificates[0].Subject.CommonName != x.want:
						t.Errorf("the %s is from %s, want %s", x.whose, x.state.PeerCertificates[0].Subject, x.want)
					case x.state.DidResume != (dial > 0):
						t.Errorf("dial %d: the %s was resumed: %v", dial, x.whose, x.state.DidResume)
					case x.state.NegotiatedProtocol != "iwarp":
						t.Errorf("the %s has the protocol %q", x.whose, x.state.NegotiatedProtocol)
					}
				}
				if c.PeerCertificate() != c.TLS().PeerCertificates[0] || r.PeerCertificate() == nil || c.Path() != "tcp" {
					t.Errorf("certificates %v and %v, path %s", c.PeerCertificate(), r.PeerCertificate(), c.Path())
				}
				must(t, c.Close())
				must(t, s.Close())
			}
		})
	}
}

// TestTLSNetworkOnly: with it, memory paths stay, and have no certificate.
func TestTLSNetworkOnly(t *testing.T) {
	config := tlstest.NewAuthority().Config("peer.test")
	a, _ := openTLS(t, "soft", rdma.OpenConfig{TLS: config, TLSNetworkOnly: true})
	ln, requests, _ := accepting(t, a)
	c, err := dialed(t, a, ln.Addr().String())
	must(t, err)
	if r := <-requests; c.Path() != "loop" || c.TLS() != nil || c.PeerCertificate() != nil || r.TLS() != nil || r.PeerCertificate() != nil {
		t.Errorf("path %s with TLS %v, request with TLS %v", c.Path(), c.TLS(), r.TLS())
	}
	far, _ := openTLS(t, "soft-tcp", rdma.OpenConfig{TLS: config})
	c, err = dialed(t, far, ln.Addr().String())
	must(t, err)
	if r := <-requests; c.Path() != "tcp" || c.TLS() == nil || r.PeerCertificate() == nil {
		t.Errorf("path %s with TLS %v", c.Path(), c.TLS())
	}
}

// TestTLSOptions: what cannot be is refused, and the error names TLS.
func TestTLSOptions(t *testing.T) {
	authority := tlstest.NewAuthority()
	config, old := authority.Config("peer.test"), authority.Config("peer.test")
	old.MaxVersion = tls.VersionTLS12
	for _, x := range []struct {
		adapter string
		cfg     rdma.OpenConfig
		code    rdma.Code
	}{
		{"soft-loop", rdma.OpenConfig{TLS: config}, rdma.ErrUnsupported},
		{"soft-shm", rdma.OpenConfig{TLS: config}, rdma.ErrUnsupported},
		{"soft-shm", rdma.OpenConfig{TLS: config, TLSNetworkOnly: true}, rdma.ErrUnsupported},
		{"soft", rdma.OpenConfig{TLSNetworkOnly: true}, rdma.ErrInvalid},
		{"soft-tcp", rdma.OpenConfig{TLS: old}, rdma.ErrInvalid},
	} {
		a, err := rdma.Open(within(t), x.adapter, x.cfg)
		if err == nil {
			a.Close()
		}
		wantCode(t, err, x.code, x.adapter)
		wantTLS(t, err)
	}
	bare, trusting := authority.Config("peer.test"), authority.Config("peer.test")
	bare.Certificates, trusting.RootCAs = nil, nil
	for _, cfg := range []*tls.Config{bare, trusting} {
		a, _ := openTLS(t, "soft-tcp", rdma.OpenConfig{TLS: cfg})
		_, err := a.Listen(within(t), "127.0.0.1:0", rdma.ListenConfig{})
		wantCode(t, err, rdma.ErrInvalid, "listen")
		wantTLS(t, err)
	}
}

func wantTLS(t testing.TB, err error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), "TLS") {
		t.Errorf("%v: want an error about TLS", err)
	}
}
