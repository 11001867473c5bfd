package rdma_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// TestConnectionsAreLogged: what was made, lost and refused is in the log at Info, with peer and cause.
func TestConnectionsAreLogged(t *testing.T) {
	var b lockedBuffer
	a, err := rdma.Open(t.Context(), "soft-loop", rdma.OpenConfig{FlightRecorder: true, Log: slog.New(slog.NewTextHandler(&b, nil))})
	if err != nil {
		t.Fatal(err)
	}
	client, server := exampleConn(a)
	memory, err := server.Zone().Alloc(64, mem.All)
	if err != nil {
		t.Fatal(err)
	}
	b.await(t, 2, `"rdma: connection established" adapter=soft-loop`)
	b.await(t, 1, "peer="+client.RemoteAddr().String())
	ln, err := a.Listen(t.Context(), "127.0.0.1:0", rdma.ListenConfig{Backlog: 1})
	if err != nil {
		t.Fatal(err)
	}
	go func() { (<-ln.Requests()).Reject(nil) }()
	if _, err := a.Dial(t.Context(), ln.Addr().String(), rdma.EndpointConfig{Zone: client.Zone()}); !errors.Is(err, rdma.ErrRejected) {
		t.Error(err)
	}
	b.await(t, 2, `"rdma: connection refused" adapter=soft-loop`) // of each side
	b.await(t, 1, "this program has rejected")
	ln.Close()
	if strings.Contains(b.String(), "lost") {
		t.Errorf("nothing was lost:\n%s", b.String())
	}
	to := memory.Slice(0, 64).Remote()
	to.Key++
	client.PostWrite(rdma.Write{From: memory.Slice(0, 64), To: to})
	<-client.Context().Done()
	<-server.Context().Done()
	a.Close()
	if text := b.String(); !strings.Contains(text, `"rdma: connection lost" adapter=soft-loop`) || !strings.Contains(text, "cause=") || !strings.Contains(text, "flight=") {
		t.Errorf("the loss was not logged:\n%s", text)
	}
}
