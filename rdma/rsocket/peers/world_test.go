package peers_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

// patience bounds each wait. It is far more than a step needs, even on an emulated machine.
const patience = 60 * time.Second

// A world is an adapter of ours, and the address of the device that programs of C use.
type world struct {
	adapter *rdma.Adapter
	host    string
	odd     int // a number that differs between the worlds of a device
}

// eachWorld runs a test with each adapter that can reach a device here: the software adapter and
// each device's own.
func eachWorld(t *testing.T, test func(t *testing.T, w *world)) {
	found := false
	for _, device := range rdma.Adapters() {
		kind := strings.TrimRight(device, "0123456789")
		if kind != "siw" && kind != "rxe" {
			continue
		}
		found = true
		ours := []string{device}
		if kind == "siw" {
			ours = append(ours, "soft-tcp")
		}
		for odd, name := range ours {
			t.Run(name+" with "+device, func(t *testing.T) {
				a, err := rdma.Open(t.Context(), name, rdma.OpenConfig{})
				must(t, err)
				t.Cleanup(func() { _ = a.Close() })
				test(t, &world{a, addressOf(t, device), odd})
			})
		}
	}
	if !found {
		t.Skip("this machine has neither siw nor rxe")
	}
}

// turn skips every other test of a list if there is little time: the others in the other worlds.
func (w *world) turn(t *testing.T, i int) {
	if testing.Short() && (i+w.odd)%2 == 1 {
		t.Skip("not in this world: -test.short")
	}
}

// addressOf is the network address of a device.
func addressOf(t testing.TB, device string) string {
	t.Helper()
	a, err := rdma.Open(t.Context(), device, rdma.OpenConfig{})
	must(t, err)
	defer a.Close()
	return a.Attributes().Address
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// listen makes a listener that is closed with the test.
func (w *world) listen(t *testing.T, cfg rsocket.Config) (ln *rsocket.Listener, port string) {
	t.Helper()
	ln, err := rsocket.Listen(t.Context(), w.adapter, net.JoinHostPort(w.host, "0"), cfg)
	must(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	_, port, err = net.SplitHostPort(ln.Addr().String())
	must(t, err)
	return ln, port
}

// accept takes a connection, if one comes in time.
func accept(t *testing.T, ln *rsocket.Listener) *rsocket.Conn {
	t.Helper()
	late := time.AfterFunc(patience, func() { _ = ln.Close() })
	c, err := ln.Accept()
	late.Stop()
	must(t, err)
	return bounded(t, c)
}

// accept takes one connection of a program that begin starts with the port.
func (w *world) accept(t *testing.T, cfg rsocket.Config, begin func(port string) *program) (*rsocket.Conn, *program) {
	t.Helper()
	ln, port := w.listen(t, cfg)
	p := begin(port)
	c := accept(t, ln)
	w.overRDMA(t, c, p)
	return c, p
}

// dial connects to a program that begin starts with a port, as soon as it listens.
func (w *world) dial(t *testing.T, cfg rsocket.Config, begin func(port string) *program) (*rsocket.Conn, *program) {
	t.Helper()
	at := port()
	p := begin(at)
	c := w.dialTo(t, cfg, at)
	w.overRDMA(t, c, p)
	return c, p
}

// overRDMA checks that both sides of a connection use what they are meant to use.
func (w *world) overRDMA(t *testing.T, c *rsocket.Conn, p *program) {
	t.Helper()
	if path := c.LocalAddr().Network(); path != w.path() {
		t.Errorf("the connection is over %s, not %s", path, w.path())
	}
	if err := p.overRDMA(); err != nil {
		t.Error(err)
	}
}

// path is what connections of this side go over.
func (w *world) path() string {
	if w.adapter.Name() == "soft-tcp" {
		return "tcp"
	}
	return "verbs"
}

func (w *world) dialTo(t *testing.T, cfg rsocket.Config, port string) *rsocket.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	d := rsocket.Dialer{Adapter: w.adapter, Config: cfg}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		c, err := d.DialContext(ctx, "tcp", net.JoinHostPort(w.host, port))
		if err == nil {
			return bounded(t, c)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal(err)
		}
	}
}

// bounded is a connection whose calls end, and that is closed with the test.
func bounded(t *testing.T, c net.Conn) *rsocket.Conn {
	t.Cleanup(func() { _ = c.Close() })
	must(t, c.SetDeadline(time.Now().Add(patience)))
	return c.(*rsocket.Conn)
}
