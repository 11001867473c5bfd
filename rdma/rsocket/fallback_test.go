package rsocket_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

// TestFallback: one port and one listener for both. The type of a connection tells which it is.
func TestFallback(t *testing.T) {
	for _, name := range []string{"soft-loop", "soft-shm"} {
		t.Run(name, func(t *testing.T) {
			a := open(t, name)
			tcp, err := net.Listen("tcp", "127.0.0.1:0")
			must(t, err)
			ln, err := rsocket.Listen(t.Context(), a, tcp.Addr().String(), rsocket.Config{})
			if err != nil {
				_ = tcp.Close()
				t.Skip(err)
			}
			both := rsocket.Join(ln, tcp)
			go echo(both)
			d := rsocket.Dialer{Adapter: a, Fallback: &net.Dialer{}}
			c, err := d.Dial("tcp", both.Addr().String())
			must(t, err)
			if _, yes := c.(*rsocket.Conn); !yes {
				t.Errorf("it is a %T although there is a listener by RDMA", c)
			}
			echoed(t, c)
			alone, err := net.Listen("tcp", "127.0.0.1:0")
			must(t, err)
			go echo(alone)
			c, err = d.Dial("", alone.Addr().String())
			must(t, err)
			if _, yes := c.(*net.TCPConn); !yes {
				t.Errorf("it is a %T although there is no listener by RDMA", c)
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
