package integration_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"testing"
)

// tap is a fabric over TCP that records all bytes. Each connection goes through a relay,
// which records what each end has sent. The adapter's streams are sockets, as without a tap.
type tap struct {
	work sync.WaitGroup
	mu   sync.Mutex
	all  []*tapped
}

// tapped is one connection of adapters; the relay makes it two TCP connections.
type tapped struct {
	dialler, listener netip.AddrPort // of the two ends
	toward, from      netip.AddrPort // of the relay, as the ends see it
	said, answered    []byte
}

func (p *tap) Dial(ctx context.Context, address string) (net.Conn, error) {
	var d net.Dialer
	far, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	host, _, _ := net.SplitHostPort(far.LocalAddr().String())
	ln, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		far.Close()
		return nil, err
	}
	defer ln.Close()
	conn, err := d.DialContext(ctx, "tcp", ln.Addr().String())
	if err != nil {
		far.Close()
		return nil, err
	}
	near, err := ln.Accept()
	if err != nil {
		far.Close()
		conn.Close()
		return nil, err
	}
	t := &tapped{dialler: addrPort(conn.LocalAddr()), toward: addrPort(conn.RemoteAddr()),
		from: addrPort(far.LocalAddr()), listener: addrPort(far.RemoteAddr())}
	p.mu.Lock()
	p.all = append(p.all, t)
	p.mu.Unlock()
	p.work.Go(func() {
		defer near.Close()
		defer far.Close()
		var both sync.WaitGroup
		both.Go(func() { pass(far, near, &t.said) })
		both.Go(func() { pass(near, far, &t.answered) })
		both.Wait()
	})
	return conn, nil
}

func (p *tap) Listen(context.Context, string) (net.Listener, error) {
	return nil, errors.New("a tap only dials")
}

// pass forwards bytes and records all that arrive, even if forwarding fails.
func pass(to, from net.Conn, log *[]byte) {
	buf := make([]byte, 64<<10)
	var lost error
	for {
		n, err := from.Read(buf)
		*log = append(*log, buf[:n]...)
		if lost == nil && n > 0 {
			_, lost = to.Write(buf[:n])
		}
		if err == io.EOF {
			_ = to.(*net.TCPConn).CloseWrite()
			return
		}
		if err != nil {
			_ = to.Close()
			return
		}
	}
}

// ended waits for the end of all connections and returns them.
func (p *tap) ended(t *testing.T) []*tapped {
	t.Helper()
	p.work.Wait()
	return p.all
}

func addrPort(a net.Addr) netip.AddrPort { return a.(*net.TCPAddr).AddrPort() }
