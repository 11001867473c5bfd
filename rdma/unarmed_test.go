package rdma_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// TestCallsOfAQueueThatCannotBeArmed: nothing tells them of their completion, and they find it nevertheless.
func TestCallsOfAQueueThatCannotBeArmed(t *testing.T) {
	calls := map[string]struct {
		op   hca.Op
		call func(ctx context.Context, c *rdma.Conn) error
	}{
		"Send":    {hca.OpSend, func(ctx context.Context, c *rdma.Conn) error { return c.Send(ctx, mem.Slice{}) }},
		"Receive": {hca.OpRecv, func(ctx context.Context, c *rdma.Conn) error { _, err := c.Receive(ctx, mem.Slice{}); return err }},
	}
	for name, of := range calls {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOrders(t, false)
				c, q := o.connected()
				unplugged := errors.New("unplugged")
				queues := map[bool]*fakeCQ{false: q.cfg.SendCQ.(*fakeCQ), true: q.recv}
				cq := queues[of.op.IsRecv()]
				cq.armErr.Store(&unplugged)
				defer func() { o.d.Close(); o.a.Close() }()
				o.f.send = func(q *fakeQP, wr hca.SendWR) error {
					q.received <- hca.RecvWR{ID: wr.ID, Flags: wr.Flags}
					return nil
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				got := make(chan error, 1)
				go func() { got <- of.call(ctx, c) }()
				wr := <-q.received
				synctest.Wait()
				begun := time.Now()
				cq.put(hca.WC{ID: wr.ID, Flags: wr.Flags, Owner: q.cfg.Owner, Op: of.op})
				must(t, <-got)
				if d := time.Since(begun); d > 10*time.Millisecond {
					t.Errorf("it took %v", d)
				}

				go func() { got <- of.call(ctx, c) }()
				wr = <-q.received
				synctest.Wait()
				cq.armErr.Store(nil)
				<-time.After(time.Second) // it arms again, and then sleeps
				synctest.Wait()
				polls := cq.polls
				<-time.After(time.Second)
				synctest.Wait()
				if n := cq.polls - polls; n > 0 {
					t.Errorf("%d polls of a queue that is armed", n)
				}
				cq.push(hca.WC{ID: wr.ID, Flags: wr.Flags, Owner: q.cfg.Owner, Op: of.op})
				must(t, <-got)
			})
		})
	}
}
