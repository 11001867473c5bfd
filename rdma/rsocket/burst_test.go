package rsocket_test

import (
	"net"
	"runtime"
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma/rsocket"
)

// TestManyDialAtOnce: hundreds of peers dial at the same time, as after a restart of a server, and none is refused.
func TestManyDialAtOnce(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		peers := 600
		if name == "soft-shm" || runtime.GOOS != "linux" {
			peers = 300 // each takes several descriptors
		}
		a := open(t, name)
		cfg := rsocket.Config{Ring: 4096, Messages: 16}
		ln := listen(t, a, cfg)
		d := &rsocket.Dialer{Adapter: a, Config: cfg}
		conns := make(chan net.Conn, 2*peers)
		var all sync.WaitGroup
		all.Go(func() {
			for range peers {
				c, err := ln.Accept()
				if err != nil {
					t.Error(err)
					return
				}
				conns <- c
			}
		})
		for range peers {
			all.Go(func() {
				c, err := d.DialContext(t.Context(), "tcp", ln.Addr().String())
				if err != nil {
					t.Error(err)
					ln.Close()
					return
				}
				conns <- c
			})
		}
		all.Wait()
		close(conns)
		for c := range conns {
			_ = c.Close()
		}
	})
}
