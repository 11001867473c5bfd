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
	if got := strings.Count(b.String(), `"rdma: connection established" adapter=soft-loop`); got != 2 || !strings.Contains(b.String(), "peer="+client.RemoteAddr().String()) {
		t.Errorf("%d ends were logged:\n%s", got, b.String())
	}
	ln, err := a.Listen(t.Context(), "127.0.0.1:0", rdma.ListenConfig{Backlog: 1})
	if err != nil {
		t.Fatal(err)
	}
	go func() { (<-ln.Requests()).Reject(nil) }()
	if _, err := a.Dial(t.Context(), ln.Addr().String(), rdma.EndpointConfig{Zone: client.Zone()}); !errors.Is(err, rdma.ErrRejected) {
		t.Error(err)
	}
	if got := strings.Count(b.String(), `"rdma: connection refused" adapter=soft-loop`); got != 2 || !strings.Contains(b.String(), "this program has rejected") {
		t.Errorf("%d refusals were logged, want that of each side:\n%s", got, b.String())
	}
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
