package rdma_test

import (
	"context"
	"crypto/tls"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/tlstest"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestRefusedStreamsAreSampled: streams that do not become a request are logged as other refusals are, ten in a second
// and then their number. Anybody can open them, as many as the network carries.
func TestRefusedStreamsAreSampled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rdmatest.NewWorld(t, 1)
		log := &operatorLog{wrote: make(chan struct{}, 1)}
		open := func(host string, cfg *tls.Config, log *operatorLog) *rdma.Adapter {
			a, err := w.Host(host).Open(w.Context(), rdma.OpenConfig{TLS: cfg, Log: slog.New(slog.NewTextHandler(log, nil))})
			must(t, err)
			return a
		}
		server, client := open("there", tlstest.NewAuthority().Config("peer.test"), log), open("here", nil, new(operatorLog))
		ln, err := server.Listen(w.Context(), "there:7471", rdma.ListenConfig{})
		must(t, err)
		zone, err := client.NewZone()
		must(t, err)
		const dials, each = 25, 10
		begun := time.Now()
		for range dials {
			_, err := client.Dial(w.Context(), ln.Addr().String(), rdma.EndpointConfig{Zone: zone})
			wantTLS(t, err)
		}
		if d := time.Since(begun); d >= time.Second {
			t.Fatalf("the dials took %v, more than the second that is sampled", d)
		}
		<-time.After(2 * time.Second)
		w.Settle()
		text := log.String()
		if n := strings.Count(text, `"rdma: connection refused" adapter=`); n != each {
			t.Errorf("%d refusals are logged one by one, want %d:\n%s", n, each, text)
		}
		if n := strings.Count(text, "TLS: the peer does not use TLS"); n != each {
			t.Errorf("%d have the reason, want %d", n, each)
		}
		if !strings.Contains(text, `"rdma: more connections refused" connections=15`) || strings.Count(text, "\n") != each+1 {
			t.Errorf("the rest is not counted in one line:\n%s", text)
		}
	})
}

// TestRefusalsOfTheProgram: what the program rejects, or fails to accept, is logged once; a request that could not be
// handed to another listener is not refused yet.
func TestRefusalsOfTheProgram(t *testing.T) {
	server, log := openTLS(t, "soft-loop", rdma.OpenConfig{})
	client, _ := openTLS(t, "soft-loop", rdma.OpenConfig{})
	ln, err := server.Listen(within(t), "127.0.0.1:0", rdma.ListenConfig{})
	must(t, err)
	shut, err := server.Listen(within(t), "127.0.0.1:0", rdma.ListenConfig{})
	must(t, err)
	must(t, shut.Close())
	serving, err := server.NewZone()
	must(t, err)
	zone, err := client.NewZone()
	must(t, err)
	for _, x := range []struct {
		answer func(r *rdma.ConnRequest, leave func())
		want   string
	}{
		{func(r *rdma.ConnRequest, _ func()) {
			wantCode(t, r.HandOff(shut), rdma.ErrRefused, "hand off")
			must(t, r.Reject(nil))
		}, "this program has rejected"},
		{func(r *rdma.ConnRequest, leave func()) {
			leave()
			_, err := r.Accept(within(t), rdma.EndpointConfig{Zone: serving})
			wantCode(t, err, rdma.ErrRefused, "accept")
		}, "the peer has given up"},
	} {
		before := log.String()
		ctx, cancel := context.WithCancel(within(t))
		left := make(chan error, 1)
		go func() {
			_, err := client.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: zone})
			left <- err
		}()
		var gone error
		x.answer(<-ln.Requests(), func() { cancel(); gone = <-left })
		if gone == nil {
			gone = <-left
		}
		cancel()
		if gone == nil {
			t.Error("connected")
		}
		log.await(t, x.want)
		if text := strings.TrimPrefix(log.String(), before); strings.Count(text, "\n") != 1 || !strings.Contains(text, `"rdma: connection refused" adapter=soft-loop`) {
			t.Errorf("logged:\n%s", text)
		}
	}
}
