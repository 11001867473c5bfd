package dat_test

import (
	"sync"
	"testing"

	"github.com/godapl/godapl/compat/dat"
	"github.com/godapl/godapl/rdma"
)

// TestEndsInOneOrder ends endpoints with a shared receive queue at once. Each end is
// told in two places, and programs that look into both by turns (dtestsrq does) have
// to find the same endpoint in both.
func TestEndsInOneOrder(t *testing.T) {
	const endpoints = 8 // the room of an adapter's asynchronous dispatcher
	needs(t, "shared receive queues", func(c rdma.Caps) bool { return c.SharedReceive })
	for range rounds(50, 5) {
		passive, queue := sharedSide(t, 8)
		attr := passive.attr()
		active := newSide(t, usual, nil)
		var asking []dat.EPHandle
		for range endpoints {
			var from, to dat.EPHandle
			ok(t, dat.EPCreateWithSRQ(passive.ia, passive.pz, passive.recv, passive.req, passive.conn, queue, &attr, &to))
			ok(t, dat.EPCreate(active.ia, active.pz, active.recv, active.req, active.conn, nil, &from))
			passive.ep, active.ep = to, from
			connect(passive, active, usual)
			asking = append(asking, from)
		}
		var all sync.WaitGroup
		for _, ep := range asking {
			all.Go(func() { dat.EPDisconnect(ep, dat.CloseAbruptFlag) })
		}
		for range endpoints {
			ended := next(t, passive.conn).EventData.ConnectEventData.EPHandle
			last := expect(t, passive.async, dat.AsyncErrorEPBroken).EventData.AsynchErrorEventData.DatHandle
			if last != dat.Handle(ended) {
				t.Errorf("%#x has ended, but %#x has had its last receive", ended, last)
			}
		}
		all.Wait()
		ok(t, dat.IAClose(active.ia, dat.CloseAbruptFlag))
		ok(t, dat.IAClose(passive.ia, dat.CloseAbruptFlag))
		if t.Failed() {
			return
		}
	}
}
