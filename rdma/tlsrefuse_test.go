package rdma_test

import (
	"context"
	"crypto/tls"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/tlstest"
	"github.com/godapl/godapl/rdma"
)

// refusedByTLS dials from one configuration to the other. The dialer gets an error about TLS, the listener's program
// gets nothing, and its operator is told.
func refusedByTLS(t *testing.T, adapter string, listener, dialer *tls.Config, want string) {
	t.Helper()
	server, log := openTLS(t, adapter, rdma.OpenConfig{TLS: listener})
	client, _ := openTLS(t, adapter, rdma.OpenConfig{TLS: dialer})
	ln, requests, _ := accepting(t, server)
	_, err := dialed(t, client, ln.Addr().String())
	wantCode(t, err, rdma.ErrRefused, "dial")
	wantTLS(t, err)
	if err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("%v\nwant %q", err, want)
	}
	log.await(t, "TLS")
	select {
	case r := <-requests:
		t.Errorf("the program got the request of %s", r.RemoteAddr())
	default:
	}
}

// TestTLSRefuses: a peer that cannot authenticate does not reach the program.
func TestTLSRefuses(t *testing.T) {
	ours, others := tlstest.NewAuthority(), tlstest.NewAuthority()
	with := func(change func(*tls.Config)) *tls.Config {
		c := ours.Config("peer.test")
		change(c)
		return c
	}
	good := with(func(*tls.Config) {})
	expired := []tls.Certificate{ours.Certificate("peer.test", time.Now().Add(-time.Minute))}
	foreign := []tls.Certificate{others.Certificate("peer.test", time.Now().Add(time.Hour))}
	for _, x := range []struct {
		name             string
		listener, dialer *tls.Config
		want             string
	}{
		{"dialer of another authority", good, with(func(c *tls.Config) { c.Certificates = foreign }), "refuses this side's certificate"},
		{"dialer has expired", good, with(func(c *tls.Config) { c.Certificates = expired }), "refuses this side's certificate"},
		{"dialer without a certificate", good, with(func(c *tls.Config) { c.Certificates = nil }), "or was sent none: see Certificates"},
		{"listener of another authority", with(func(c *tls.Config) { c.Certificates = foreign }), good, "does not accept the certificate"},
		{"listener has expired", with(func(c *tls.Config) { c.Certificates = expired }), good, "does not accept the certificate"},
		{"listener has another name", good, with(func(c *tls.Config) { c.ServerName = "other.test" }), "another name"},
		{"no common protocol", with(func(c *tls.Config) { c.NextProtos = []string{"a"} }), with(func(c *tls.Config) { c.NextProtos = []string{"b"} }), "ended the handshake"},
		{"a listener without TLS", nil, good, "the listener does not use TLS"},
		{"a dialer without TLS", good, nil, "the listener requires it"},
	} {
		t.Run(x.name, func(t *testing.T) {
			for _, adapter := range []string{"soft-tcp", "soft"} { // which would have other paths here
				refusedByTLS(t, adapter, x.listener, x.dialer, x.want)
			}
		})
	}
}

// TestTLSGarbage: bytes that are no handshake end their own stream, and nothing else.
func TestTLSGarbage(t *testing.T) {
	config := tlstest.NewAuthority().Config("peer.test")
	server, _ := openTLS(t, "soft-tcp", rdma.OpenConfig{TLS: config})
	ln, requests, _ := accepting(t, server)
	for _, garbage := range []string{
		"", "M", "MPA ID Re", "MPA ID Req Frame", "MPA ID Rep Frame\x40\x02\x00\x00", "GET / HTTP/1.1\r\n\r\n",
		"\x16", "\x16\x03", "\x16\x03\x01\x00\x00", "\x16\x03\x01\xff\xff" + strings.Repeat("x", 1<<16), "\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00",
		"\x15\x03\x03\x00\x02\x02\x28", "\x17\x03\x03\x00\x01\x00", "\x80\x2e\x01\x03\x01", strings.Repeat("\x00", 100),
	} {
		conn, err := net.Dial("tcp", ln.Addr().String())
		must(t, err)
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		_, _ = conn.Write([]byte(garbage)) // the listener may have closed it already
		_ = conn.(*net.TCPConn).CloseWrite()
		for b := make([]byte, 512); err == nil; { // until the listener has closed it
			_, err = conn.Read(b)
		}
		if ne, ok := err.(net.Error); ok && ne.Timeout() {
			t.Errorf("%.20q: the stream stays open", garbage)
		}
		conn.Close()
	}
	select {
	case r := <-requests:
		t.Errorf("the program got the request of %s", r.RemoteAddr())
	default:
	}
	client, _ := openTLS(t, "soft-tcp", rdma.OpenConfig{TLS: config})
	_, err := dialed(t, client, ln.Addr().String())
	must(t, err)
}

// TestTLSHandshakeIsBounded: the caller's context bounds a handshake that the peer does not answer.
func TestTLSHandshakeIsBounded(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer silent.Close()
	client, _ := openTLS(t, "soft-tcp", rdma.OpenConfig{TLS: tlstest.NewAuthority().Config("peer.test")})
	zone, err := client.NewZone()
	must(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err = client.Dial(ctx, silent.Addr().String(), rdma.EndpointConfig{Zone: zone})
	wantCode(t, err, rdma.ErrTimeout, "dial")
}
