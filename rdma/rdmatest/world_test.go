package rdmatest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// talk connects two hosts of a world and sends n messages there and back.
func talk(t *testing.T, w *rdmatest.World, n int) {
	server, client := w.Host("server"), w.Host("client")
	w.Link(server, client).Latency(time.Millisecond).Bandwidth(10 << 20)
	a, b := joined(t, w, server, client)
	ctx := w.Context()
	out, err := a.Zone().Alloc(8192, mem.All)
	must(t, err)
	in, err := b.Zone().Alloc(8192, mem.All)
	must(t, err)
	answered := make(chan error, 1)
	go func() {
		for range n {
			k, err := b.Recv(ctx, in.All())
			if err == nil {
				err = b.Send(ctx, in.Slice(0, k))
			}
			if err != nil {
				answered <- err
				return
			}
		}
		answered <- nil
	}()
	for i := range n {
		k := copy(out.Bytes(), fmt.Sprintf("message %d", i)) + i*100%5000
		must(t, a.Send(ctx, out.Slice(0, k)))
		got, err := a.Recv(ctx, out.All())
		must(t, err)
		w.Note("%d came back", got)
	}
	must(t, <-answered)
	r := w.Rand("reads")
	for range n {
		k := r.IntN(8192)
		_, err := a.Read(ctx, out.Slice(0, k), in.Slice(0, k).Remote())
		must(t, err)
		_, err = a.Write(ctx, out.Slice(0, k), in.Slice(0, k).Remote())
		must(t, err)
	}
}

// joined connects two hosts.
func joined(t *testing.T, w *rdmatest.World, server, client *rdmatest.Host) (a, b *rdma.Conn) {
	ctx := w.Context()
	s, err := server.Open(ctx, rdma.OpenConfig{})
	must(t, err)
	c, err := client.Open(ctx, rdma.OpenConfig{})
	must(t, err)
	zs, err := s.NewZone()
	must(t, err)
	zc, err := c.NewZone()
	must(t, err)
	ln, err := s.Listen(ctx, ":7471", rdma.ListenConfig{})
	must(t, err)
	accepted := make(chan error, 1)
	go func() {
		var err error
		b, err = (<-ln.Requests()).Accept(ctx, rdma.EndpointConfig{Zone: zs})
		accepted <- err
	}()
	a, err = c.Dial(ctx, server.Name()+":7471", rdma.EndpointConfig{Zone: zc})
	must(t, err)
	must(t, <-accepted)
	return a, b
}
