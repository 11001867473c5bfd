package rsocket_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
	"github.com/godapl/godapl/rdma/rsocket"
)

// TestDeadPeer: nothing passes any more, and nobody is told. KeepAlive finds that out, for a Read and for a Write
// that wait, and for a connection that no call waits for. A peer that is only silent keeps its connection.
func TestDeadPeer(t *testing.T) {
	const period = time.Minute
	for what, wait := range map[string]func(c net.Conn) error{
		"read": func(c net.Conn) error {
			_, err := c.Read(make([]byte, 1))
			return err
		},
		"write": func(c net.Conn) error { // nobody reads it
			_, err := c.Write(make([]byte, 1<<20))
			return err
		},
		"read, after CloseWrite": func(c net.Conn) error {
			if err := c.(*rsocket.Conn).CloseWrite(); err != nil {
				return err
			}
			_, err := c.Read(make([]byte, 1))
			return err
		},
		"no call": func(c net.Conn) error {
			<-time.After(13 * period)
			_, err := c.Read(make([]byte, 1))
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			rdmatest.Worlds(t, 1, func(t *testing.T, w *rdmatest.World) {
				dialed, accepted := worldPair(t, w, rsocket.Config{KeepAlive: period})
				_, err := dialed.Write([]byte("x"))
				must(t, err)
				_, err = accepted.Read(make([]byte, 1))
				must(t, err)
				link := w.Link(w.Host("client"), w.Host("server"))
				link.Buffer(4) // what the system takes, and nobody reads
				link.Partition(rdmatest.After(10*period + time.Second))
				begun := time.Now()
				err = wait(dialed)
				if !errors.Is(err, rsocket.ErrReset) || !strings.Contains(err.Error(), "no sign of life in 1m0s") {
					t.Errorf("the error is %v", err)
				}
				if d := time.Since(begun); d < 10*period || d > 14*period {
					t.Errorf("it took %v, and the partition was after %v", d, 10*period)
				}
			})
		})
	}
}

// TestKeepAliveAfterBothEnds: both sides have ended their direction, and the network stands still. No call waits for
// anything, so the connection is not lost: it ends in its own time.
func TestKeepAliveAfterBothEnds(t *testing.T) {
	const period = time.Second
	for name, buffer := range map[string]int{"the system takes all": 1 << 16, "the system takes little": 4} {
		t.Run(name, func(t *testing.T) {
			rdmatest.Worlds(t, 1, func(t *testing.T, w *rdmatest.World) {
				dialed, accepted := worldPair(t, w, rsocket.Config{KeepAlive: period})
				must(t, dialed.(*rsocket.Conn).CloseWrite())
				_, err := io.ReadAll(accepted)
				must(t, err)
				link := w.Link(w.Host("client"), w.Host("server"))
				link.Buffer(buffer)
				link.Partition(rdmatest.After(0)).Heal(rdmatest.After(20 * period))
				<-time.After(period / 2)
				must(t, accepted.(*rsocket.Conn).CloseWrite())
				<-time.After(10 * period)
				if _, err := accepted.Write([]byte("x")); !errors.Is(err, rsocket.ErrPipe) {
					t.Errorf("a write after CloseWrite: %v", err)
				}
				must(t, dialed.Close())
				must(t, accepted.Close())
			})
		})
	}
}

// worldPair connects two hosts of a world.
func worldPair(t *testing.T, w *rdmatest.World, cfg rsocket.Config) (dialed, accepted net.Conn) {
	t.Helper()
	open := func(name string) *rdma.Adapter {
		a, err := w.Host(name).Open(w.Context(), rdma.OpenConfig{})
		must(t, err)
		return a
	}
	ln, err := rsocket.Listen(w.Context(), open("server"), "server:1", cfg)
	must(t, err)
	d := rsocket.Dialer{Adapter: open("client"), Config: cfg}
	dialed, err = d.DialContext(w.Context(), "", "server:1")
	must(t, err)
	accepted, err = ln.Accept()
	must(t, err)
	for _, c := range []net.Conn{dialed, accepted} {
		stop := context.AfterFunc(w.Context(), func() { _ = c.Close() })
		t.Cleanup(func() {
			stop()
			_ = c.Close()
		})
	}
	return dialed, accepted
}
