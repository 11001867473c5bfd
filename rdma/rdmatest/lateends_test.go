package rdmatest_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// lateReceives is more than the library takes from a queue at a time.
const lateReceives = 40

// lateEndpoint makes an endpoint of a host, with receives and a queue of the program.
func lateEndpoint(t *testing.T, h *rdmatest.Host, w *rdmatest.World) (*rdma.Endpoint, *rdma.CompletionQueue, mem.Slice) {
	adapter, err := h.Open(w.Context(), rdma.OpenConfig{})
	must(t, err)
	zone, err := adapter.NewZone()
	must(t, err)
	queue, err := adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 256})
	must(t, err)
	e, err := adapter.NewEndpoint(rdma.EndpointConfig{Zone: zone, SendCQ: queue, RecvCQ: queue})
	must(t, err)
	page, err := zone.Alloc(8, mem.All)
	must(t, err)
	for range lateReceives {
		must(t, e.PostRecv(rdma.Recv{Into: page.All()}))
	}
	return e, queue, page.All()
}

// there is how many completions a poll finds.
func there(q *rdma.CompletionQueue) int {
	var buf [2 * lateReceives]rdma.Completion
	return q.Dispatcher().Poll(buf[:])
}

// TestAFailedAttemptMakesAllVisible: the receives of an endpoint that gets no connection come back with the error, on
// either side.
func TestAFailedAttemptMakesAllVisible(t *testing.T) {
	for _, call := range []rdmatest.Call{rdmatest.Dial, rdmatest.Accept} {
		synctest.Test(t, func(t *testing.T) {
			w := rdmatest.NewWorld(t, 1)
			h := w.Host("h")
			dialer, queue, _ := lateEndpoint(t, h, w)
			asked, theirs, _ := lateEndpoint(t, h, w)
			ln, err := asked.Adapter().Listen(w.Context(), "h:1", rdma.ListenConfig{})
			must(t, err)
			w.Late(10*time.Minute, rdmatest.Which{})
			h.Faults().Set(call, rdma.ErrResources)
			if call == rdmatest.Accept {
				must(t, dialer.ConnectAsync(w.Context(), "h:1", rdma.ConnConfig{}, func(*rdma.Conn, error) {}))
				queue = theirs
				_, err = (<-ln.Requests()).AcceptOn(w.Context(), asked, rdma.ConnConfig{})
			} else {
				_, err = dialer.Connect(w.Context(), "h:1", rdma.ConnConfig{})
			}
			if !errors.Is(err, rdma.ErrResources) {
				t.Errorf("%v has failed with %v", call, err)
			}
			if n := there(queue); n != lateReceives {
				t.Errorf("%d of %d receives are there when %v has failed", n, lateReceives, call)
			}
		})
	}
}

// TestAClosedEndpointMakesAllVisible: what is flushed while it connects, or behind the end of its connection.
func TestAClosedEndpointMakesAllVisible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rdmatest.NewWorld(t, 1)
		h, far := w.Host("h"), w.Host("far")
		w.Link(h, far).Latency(time.Second)
		w.Late(10*time.Minute, rdmatest.Which{})
		e, queue, _ := lateEndpoint(t, h, w)
		must(t, e.ConnectAsync(w.Context(), "far:1", rdma.ConnConfig{}, func(*rdma.Conn, error) {}))
		w.Settle()
		must(t, e.Close())
		if n := there(queue); n != lateReceives {
			t.Errorf("%d of %d receives are there when the endpoint has been closed", n, lateReceives)
		}

		e, queue, page := lateEndpoint(t, h, w)
		other, _, _ := lateEndpoint(t, far, w)
		ln, err := other.Adapter().Listen(w.Context(), "far:1", rdma.ListenConfig{})
		must(t, err)
		go func() { _, _ = (<-ln.Requests()).AcceptOn(w.Context(), other, rdma.ConnConfig{}) }()
		c, err := e.Connect(w.Context(), "far:1", rdma.ConnConfig{})
		must(t, err)
		must(t, c.Abort())
		<-c.Context().Done()
		if n := there(queue); n != lateReceives {
			t.Errorf("%d of %d receives are there at the end", n, lateReceives)
		}
		must(t, c.PostSend(rdma.Send{From: page}))
		if n := there(queue); n != 1 {
			t.Errorf("%d completions of a send behind the end, which is not late", n)
		}
		must(t, e.Close())
	})
}
