package rdma_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// TestNoBacklogWhileACallWaits: a program that waits in a call takes nothing from the channel meanwhile, and the call
// perhaps waits for the answer to a request that the adapter would keep back.
func TestNoBacklogWhileACallWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOrders(t, false)
		c, q := o.connected()
		events := o.d.C()
		q.recv.push(q.receipt(1), q.receipt(2))
		synctest.Wait()
		backlog := func(when string, want bool) {
			t.Helper()
			if got := q.recv.cfg.Backlog(true) == hca.BacklogSome; got != want {
				t.Errorf("%s: backlog %v", when, got)
			}
		}
		backlog("completions in the channel", true)
		got := make(chan error, 1)
		go func() {
			_, err := c.Recv(context.Background(), mem.Slice{})
			got <- err
		}()
		wr := <-q.received
		synctest.Wait()
		backlog("a call waits", false)
		q.recv.push(hca.WC{ID: wr.ID, Flags: wr.Flags, Owner: q.cfg.Owner, Op: hca.OpRecv})
		must(t, <-got)
		backlog("it has returned", true)
		<-events
		<-events
		synctest.Wait()
		backlog("all is taken", false)
		q.ended()
		o.d.Close()
		o.a.Close()
	})
}
