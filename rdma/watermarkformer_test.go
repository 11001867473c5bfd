package rdma_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// TestWatermarksLeaveFormerConnectionsOut: receives of the former connection that are taken only now do not count as
// held by this one.
func TestWatermarksLeaveFormerConnectionsOut(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := newSide(t, name), newSide(t, name)
		ln := listen(t, y.adapter)
		d := event.New[rdma.Completion](event.Config{Depth: 1}) // the others stay in the queue
		defer d.Close()
		q, err := x.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{
			Sink: rdma.NewSink(d, func(to *rdma.Completion, from *rdma.Completion) { *to = *from })})
		must(t, err)
		e := newEndpoint(t, x, rdma.EndpointConfig{Zone: x.zone, RecvCQ: q})
		accepted := make(chan *rdma.Conn)
		connect := func(receives int) (conn, peer *rdma.Conn) {
			for range receives {
				must(t, e.PostRecv(rdma.Recv{Into: x.mem.Slice(0, 8)}))
			}
			go func() {
				c, err := (<-ln.Requests()).Accept(within(t), rdma.EndpointConfig{Zone: y.zone})
				if err != nil {
					t.Error(err)
				}
				accepted <- c
			}()
			conn, err := e.Connect(within(t), ln.Addr().String(), rdma.ConnConfig{})
			must(t, err)
			return conn, <-accepted
		}
		former, peer := connect(3)
		for range 3 {
			must(t, peer.Send(within(t), y.mem.Slice(0, 8)))
		}
		must(t, peer.Shutdown(within(t)))
		<-former.Context().Done()
		must(t, e.Reset())
		must(t, e.SetWatermarks(1, 1))
		conn, peer := connect(1)
		take(t, d, 3)
		if conn.State() != rdma.StateConnected {
			t.Fatal("the connection is broken: it holds one receive, and its hard watermark is 1")
		}
		if ev, err := x.adapter.Async().Dequeue(); err == nil {
			t.Errorf("told: %v", ev)
		}
		must(t, peer.Send(within(t), y.mem.Slice(0, 8)))
		take(t, d, 1)
	})
}
