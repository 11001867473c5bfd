package rdma_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// TestPostsBehindTheAdapter: when the adapter has been closed, each operation says so, and not that something is
// wrong with its memory.
func TestPostsBehindTheAdapter(t *testing.T) {
	a, err := rdma.Open(t.Context(), "soft-loop", rdma.OpenConfig{})
	must(t, err)
	zone, err := a.NewZone()
	must(t, err)
	r, err := zone.Alloc(64, mem.All)
	must(t, err)
	ln, err := a.Listen(t.Context(), "127.0.0.1:0", rdma.ListenConfig{})
	must(t, err)
	accepted := make(chan error)
	go func() {
		_, err := (<-ln.Requests()).Accept(t.Context(), rdma.EndpointConfig{Zone: zone})
		accepted <- err
	}()
	c, err := a.Dial(t.Context(), ln.Addr().String(), rdma.EndpointConfig{Zone: zone})
	must(t, err)
	must(t, <-accepted)
	must(t, a.Close())
	_, received := c.Recv(t.Context(), r.All())
	_, read := c.Read(t.Context(), r.All(), r.All().Remote())
	for name, err := range map[string]error{
		"post send":    c.PostSend(rdma.Send{From: r.All()}),
		"post receive": c.PostRecv(rdma.Recv{Into: r.All()}),
		"post write":   c.PostWrite(rdma.Write{From: r.All(), To: r.All().Remote()}),
		"send":         c.Send(t.Context(), r.All()),
		"receive":      received,
		"read":         read,
	} {
		wantCode(t, err, rdma.ErrClosed, name)
	}
}
