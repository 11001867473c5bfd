package rsocket_test

import (
	"net"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
	"github.com/godapl/godapl/rdma/rsocket"
)

// TestCloseMany: a program closes connections one after another, as http.Server.Shutdown does, and their peer has been
// stopped. It does not wait for a second for each.
func TestCloseMany(t *testing.T) {
	const connections = 50
	rdmatest.Worlds(t, 1, func(t *testing.T, w *rdmatest.World) {
		hosts := w.Machine("client", "server")
		open := func(h *rdmatest.Host) *rdma.Adapter {
			a, err := h.Open(w.Context(), rdma.OpenConfig{})
			must(t, err)
			return a
		}
		ln, err := rsocket.Listen(w.Context(), open(hosts[1]), "server:1", rsocket.Config{})
		must(t, err)
		d := rsocket.Dialer{Adapter: open(hosts[0])}
		var dialed, accepted []net.Conn
		for range connections {
			x, err := d.DialContext(w.Context(), "", "server:1")
			must(t, err)
			y, err := ln.Accept()
			must(t, err)
			dialed, accepted = append(dialed, x), append(accepted, y)
			_, err = x.Write([]byte("x"))
			must(t, err)
			_, err = y.Read(make([]byte, 1))
			must(t, err)
		}
		hosts[0].Stop()
		begun := time.Now()
		for _, c := range accepted {
			must(t, c.Close())
		}
		if d := time.Since(begun); d < time.Second || d > 4*time.Second {
			t.Errorf("closing %d connections took %v, want a second for the first and little more for all others", connections, d)
		}
		hosts[0].Continue()
		for _, c := range dialed {
			must(t, c.Close())
		}
	})
}
