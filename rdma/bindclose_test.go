package rdma_test

import (
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// TestBindsBesideClose posts binds while the endpoint is closed: each that was accepted
// completes.
func TestBindsBesideClose(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := newSide(t, name), newSide(t, name)
		if !x.adapter.Attributes().Caps.ZoneWindows {
			t.Skip("the adapter has no windows of that kind")
		}
		w, err := x.zone.NewWindow(mem.ZoneWindow)
		must(t, err)
		for range 30 {
			q, err := x.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 4096})
			must(t, err)
			join(t, x, y, rdma.EndpointConfig{Zone: x.zone, SendCQ: q, SendDepth: 64}, rdma.EndpointConfig{Zone: y.zone})
			e := x.conn.Endpoint()
			accepted, first := make(chan int), make(chan struct{})
			var some sync.Once
			go func() {
				n := 0
				for range 2000 {
					if _, err := e.PostBind(rdma.Bind{Window: w, To: x.mem.Slice(0, 8), Rights: mem.RemoteRead}); err == nil {
						n++
					} else if e.State() == rdma.StateClosed {
						break
					}
					if n == 1 {
						some.Do(func() { close(first) })
					}
				}
				accepted <- n
			}()
			<-first
			must(t, e.Close())
			n, got := <-accepted, 0
			var list [64]rdma.Completion
			for k := 1; k > 0; got += k {
				k = q.Dispatcher().Poll(list[:])
			}
			if got != n {
				t.Fatalf("%d binds were accepted, %d completed", n, got)
			}
			must(t, y.conn.Close())
			must(t, q.Close())
		}
	})
}
