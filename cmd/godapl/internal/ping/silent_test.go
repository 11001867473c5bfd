package ping

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma"
)

// lines is what several goroutines have said.
type lines struct {
	mu sync.Mutex
	strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Builder.Write(p)
}

// TestSilentClients: as many clients as -P serves at a time connect and say nothing. They lose their places, and the
// next client is served.
func TestSilentClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		adapter, zone, ln := listenOn(t, "soft-loop")
		_, port, _ := net.SplitHostPort(ln.Addr().String())
		if err := ln.Close(); err != nil { // its port is free now
			t.Fatal(err)
		}
		var says lines
		served := make(chan error, 1)
		go func() {
			served <- run(ctx, []string{"-s", "-P", "-a127.0.0.1", "-p" + port, "-Asoft-loop"}, io.Discard, &says)
		}()
		synctest.Wait()
		var silent []*rdma.Conn
		for range atOnce {
			conn, err := adapter.Dial(ctx, "127.0.0.1:"+port, rdma.EndpointConfig{Zone: zone})
			if err != nil {
				t.Fatal(err)
			}
			silent = append(silent, conn)
		}
		if err := run(ctx, []string{"-c", "-C3", "-a127.0.0.1", "-p" + port, "-Asoft-loop"}, io.Discard, io.Discard); err != nil {
			t.Error("behind the silent ones: ", err)
		}
		for _, conn := range silent {
			<-conn.Context().Done()
			conn.Close()
		}
		synctest.Wait() // the server has named the last of them
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
		if n := strings.Count(says.String(), errSilent.Error()); n != atOnce {
			t.Errorf("%d of %d silent clients are named:\n%s", n, atOnce, says.String())
		}
	})
}
