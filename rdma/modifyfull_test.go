package rdma_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TestModifyWithCompletionsLeft: the queues that Modify replaces give up what is left in them, and the watermarks are
// looked at for each receive.
func TestModifyWithCompletionsLeft(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := newSide(t, name), newSide(t, name)
		ln := listen(t, y.adapter)
		e := newEndpoint(t, x, rdma.EndpointConfig{Zone: x.zone, RecvDepth: 1})
		must(t, e.SetWatermarks(100, -1))
		for range 9 { // one more than the dispatcher has room for
			must(t, e.PostRecv(rdma.Recv{Into: x.mem.Slice(0, 8)}))
			ended := make(chan error, 1)
			go func() {
				c, err := (<-ln.Requests()).Accept(within(t), rdma.EndpointConfig{Zone: y.zone})
				if err == nil {
					err = c.Send(within(t), y.mem.Slice(0, 8))
				}
				if err == nil {
					err = c.Shutdown(within(t))
				}
				ended <- err
			}()
			conn, err := e.Connect(within(t), ln.Addr().String(), rdma.ConnConfig{})
			must(t, err)
			<-conn.Context().Done()
			must(t, <-ended)
			must(t, e.Reset())
		}
		modified := make(chan error, 1)
		go func() { modified <- e.Modify(e.Config()) }()
		select {
		case err := <-modified:
			must(t, err)
		case <-within(t).Done():
			t.Fatal("Modify waits for itself")
		}
	})
}
