package rdma_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TestSolicitedOnly: other receives are there, and wake nobody.
func TestSolicitedOnly(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name, func(a, p *rdma.EndpointConfig) { p.SolicitedOnly = true })
		for i := range 3 {
			must(t, y.conn.PostRecv(rdma.Recv{Into: y.mem.Slice(8*i, 8), Cookie: uint64(i)}))
		}
		got := make(chan []rdma.Completion, 1)
		go func() {
			var list [4]rdma.Completion
			n := 0
			for n < 2 {
				k, err := y.conn.RecvCompletions().WaitBatch(within(t), list[n:])
				if err != nil {
					t.Error(err)
					break
				}
				n += k
			}
			got <- list[:n]
		}()
		must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 8)}))
		must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 8), Flags: rdma.Solicited}))
		list := <-got
		if len(list) != 2 || soft(name) && (list[0].Flags&rdma.NoWake == 0 || list[1].Flags&rdma.NoWake != 0) {
			t.Errorf("%+v", list)
		}
		// A failure wakes, too.
		must(t, x.conn.Abort())
		if c := take(t, y.conn.RecvCompletions(), 1)[0]; c.Status != rdma.StatusFlushed || c.Cookie != 2 {
			t.Errorf("%+v", c)
		}
	})
}

// TestCloseLeavesTheEndpoint that the program made, and takes the other along.
func TestCloseLeavesTheEndpoint(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := newSide(t, name), newSide(t, name)
		ln := listen(t, y.adapter)
		e, p := newEndpoint(t, x, rdma.EndpointConfig{Zone: x.zone}), newEndpoint(t, y, rdma.EndpointConfig{Zone: y.zone})
		accepted := make(chan *rdma.Conn, 1)
		go func() {
			c, err := (<-ln.Requests()).AcceptOn(within(t), p, rdma.ConnConfig{})
			if err != nil {
				t.Error(err)
			}
			accepted <- c
		}()
		near, err := e.Connect(within(t), ln.Addr().String(), rdma.ConnConfig{})
		must(t, err)
		far := <-accepted
		must(t, near.Close())
		must(t, near.Close())
		wantState(t, e, rdma.StateDisconnected)
		must(t, far.Close())
		wantState(t, p, rdma.StateDisconnected)
		must(t, e.Close())
		must(t, near.Close())
		must(t, near.Shutdown(within(t)))

		join(t, x, y, rdma.EndpointConfig{Zone: x.zone}, rdma.EndpointConfig{Zone: y.zone})
		must(t, x.conn.Close())
		must(t, y.conn.Close())
		wantState(t, x.conn.Endpoint(), rdma.StateClosed)
		wantState(t, y.conn.Endpoint(), rdma.StateClosed)
	})
}
