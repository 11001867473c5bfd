package rsocket_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

// TestFallback: a listener for both. The type of a connection tells which it is. Over TCP the two have
// different ports.
func TestFallback(t *testing.T) {
	for _, name := range []string{"soft-loop", "soft-shm", "soft-tcp"} {
		t.Run(name, func(t *testing.T) {
			a := open(t, name)
			tcp, err := net.Listen("tcp", "127.0.0.1:0")
			must(t, err)
			d := rsocket.Dialer{Adapter: a, Fallback: &net.Dialer{}}
			at := tcp.Addr().String()
			if name == "soft-tcp" {
				at, d.FallbackAddress = "127.0.0.1:0", portOf(t, tcp)
			}
			ln, err := rsocket.Listen(t.Context(), a, at, rsocket.Config{})
			if err != nil {
				_ = tcp.Close()
				t.Skip(err)
			}
			both := rsocket.Join(ln, tcp)
			go echo(both)
			c, err := d.Dial("tcp", both.Addr().String())
			must(t, err)
			if _, yes := c.(*rsocket.Conn); !yes {
				t.Errorf("it is a %T although there is a listener by RDMA", c)
			}
			echoed(t, c)
			alone, err := net.Listen("tcp", "127.0.0.1:0")
			must(t, err)
			go echo(alone)
			d.FallbackAddress = ""
			at = alone.Addr().String()
			if name == "soft-tcp" { // where nobody listens
				at, d.FallbackAddress = "127.0.0.1:1", portOf(t, alone)
			}
			c, err = d.Dial("", at)
			must(t, err)
			if _, yes := c.(*net.TCPConn); !yes || c.RemoteAddr().String() != alone.Addr().String() {
				t.Errorf("it is a %T to %v although there is no listener by RDMA", c, c.RemoteAddr())
			}
			echoed(t, c)
			must(t, alone.Close())
			must(t, both.Close())
			_, err = d.Dial("tcp", both.Addr().String())
			var dialed *net.OpError
			if !errors.Is(err, rdma.ErrRefused) || !errors.As(err, &dialed) {
				t.Errorf("no listener: %v", err)
			}
		})
	}
}

// portOf is the address of a listener without its host.
func portOf(t *testing.T, ln net.Listener) string {
	t.Helper()
	_, port, err := net.SplitHostPort(ln.Addr().String())
	must(t, err)
	return ":" + port
}

// TestFallbackFromASilentServer: a server for TCP takes what the adapter sends, and waits for more, as servers of
// many protocols do. The dialer does not wait as long.
func TestFallbackFromASilentServer(t *testing.T) {
	a := open(t, "soft-tcp")
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer silent.Close()
	accepted := make(chan net.Conn, 8)
	go func() {
		for {
			c, err := silent.Accept()
			if err != nil {
				close(accepted)
				return
			}
			accepted <- c // and says nothing
		}
	}()
	for what, c := range map[string]struct {
		after   time.Duration
		patient time.Duration // of the context; 0: without end
	}{
		"a bound of the dialer": {after: 50 * time.Millisecond},
		"half of the deadline":  {after: time.Hour, patient: time.Second},
		"the bound is less":     {after: 50 * time.Millisecond, patient: time.Hour},
		"the bound by default":  {},
	} {
		ctx, cancel := context.Background(), func() {}
		if c.patient > 0 {
			ctx, cancel = context.WithTimeout(ctx, c.patient)
		}
		d := rsocket.Dialer{Adapter: a, Fallback: &net.Dialer{}, FallbackAfter: c.after}
		begun := time.Now()
		got, err := d.DialContext(ctx, "tcp", silent.Addr().String())
		cancel()
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if _, yes := got.(*net.TCPConn); !yes {
			t.Errorf("%s: it is a %T", what, got)
		}
		if took := time.Since(begun); took > hca.AnswerTime-time.Second {
			t.Errorf("%s: it took %v", what, took)
		}
		must(t, got.Close())
	}
	must(t, silent.Close())
	for c := range accepted {
		_ = c.Close()
	}
}

// TestFallbackAddress: which address is used.
func TestFallbackAddress(t *testing.T) {
	a := open(t, "soft-loop")
	for field, want := range map[string]string{
		"": "host.example:7", ":8": "host.example:8", "other.example:9": "other.example:9", "any text": "any text",
	} {
		var got string
		d := rsocket.Dialer{Adapter: a, FallbackAddress: field, Fallback: dialerFunc(func(address string) { got = address })}
		if _, err := d.Dial("tcp", "host.example:7"); !errors.Is(err, io.EOF) || got != want {
			t.Errorf("%q: %q, want %q; %v", field, got, want, err)
		}
	}
}

type dialerFunc func(address string)

func (f dialerFunc) DialContext(_ context.Context, _, address string) (net.Conn, error) {
	f(address)
	return nil, io.EOF
}

// TestFallbackIsNot: for a context that has ended, and for an adapter that is closed.
func TestFallbackIsNot(t *testing.T) {
	a := open(t, "soft-loop")
	d := rsocket.Dialer{Adapter: a, Fallback: never{t}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.DialContext(ctx, "tcp", "localhost:1"); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	must(t, a.Close())
	if _, err := d.Dial("tcp", "localhost:1"); !errors.Is(err, rdma.ErrClosed) {
		t.Errorf("an adapter that is closed: %v", err)
	}
}

type never struct{ t *testing.T }

func (n never) DialContext(context.Context, string, string) (net.Conn, error) {
	n.t.Error("it falls back")
	return nil, io.EOF
}

// TestJoin: Close ends Accept, all listeners, and connections that nobody has taken.
func TestJoin(t *testing.T) {
	var all []net.Listener
	for range 2 {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		all = append(all, ln)
	}
	both := rsocket.Join(all[0], all[1])
	c, err := net.Dial("tcp", all[1].Addr().String())
	must(t, err)
	defer c.Close()
	must(t, both.Close())
	if _, err := both.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("accept: %v", err)
	}
	if err := both.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closing twice: %v", err)
	}
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the connection stays")
	}
}

// echo serves connections of a listener until it is closed.
func echo(ln net.Listener) {
	for {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			_, _ = io.Copy(c, c)
		}()
	}
}

func echoed(t *testing.T, c net.Conn) {
	t.Helper()
	_, err := c.Write([]byte("echo"))
	must(t, err)
	_, err = io.ReadFull(c, make([]byte, 4))
	must(t, err)
	must(t, c.Close())
}
