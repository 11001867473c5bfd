package valkey_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
	"github.com/godapl/godapl/rdma/valkey"
)

// TestAFailureLosesNothing: a Write fails and ends the connection. What had arrived before, more than one look takes in, can
// still be read.
func TestAFailureLosesNothing(t *testing.T) {
	rdmatest.Worlds(t, 10, func(t *testing.T, w *rdmatest.World) {
		open := func(name string) *rdma.Adapter {
			a, err := w.Host(name).Open(w.Context(), rdma.OpenConfig{})
			must(t, err)
			return a
		}
		ln, err := valkey.Listen(w.Context(), open("server"), "server:1", valkey.Config{KeepAlive: -1})
		must(t, err)
		x, err := (&valkey.Dialer{Adapter: open("client")}).DialContext(w.Context(), "", "server:1")
		must(t, err)
		y, err := ln.Accept()
		must(t, err)
		for _, c := range []net.Conn{x, y} {
			stop := context.AfterFunc(w.Context(), func() { _ = c.Close() })
			t.Cleanup(func() {
				stop()
				_ = c.Close()
			})
		}
		const count = 100
		for range count {
			_, err := x.Write([]byte("x"))
			must(t, err)
		}
		<-time.After(100 * time.Millisecond) // all has arrived, and y is not idle yet
		w.Host("server").Faults().Set(rdmatest.Post, rdma.ErrResources)
		if _, err := y.Write([]byte("y")); !errors.Is(err, valkey.ErrReset) {
			t.Errorf("write: %v", err)
		}
		if got, err := io.ReadAll(y); len(got) != count || !errors.Is(err, valkey.ErrReset) {
			t.Errorf("%d of %d bytes, %v", len(got), count, err)
		}
	})
}
