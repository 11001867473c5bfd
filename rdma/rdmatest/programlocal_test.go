package rdmatest_test

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// localMessages is how many messages go through memory of the process.
const localMessages = 3

// runLocal connects within the process, beside the world and its books. Messages wait for their receives.
func (p *program) runLocal(draw *rand.Rand) {
	ctx, cancel := context.WithTimeout(p.w.Context(), time.Minute)
	defer cancel()
	a, err := rdma.Open(ctx, "soft-loop", rdma.OpenConfig{ReceiveWait: receiveWait})
	must(p.t, err)
	defer a.Close()
	zone, err := a.NewZone()
	must(p.t, err)
	ln, err := a.Listen(ctx, "localhost:0", rdma.ListenConfig{})
	must(p.t, err)
	defer ln.Close()
	accepted := make(chan *rdma.Conn, 1)
	go func() {
		c, _ := (<-ln.Requests()).Accept(ctx, rdma.EndpointConfig{Zone: zone})
		accepted <- c
	}()
	from, err := a.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: zone})
	must(p.t, err)
	to := <-accepted
	region, err := zone.Alloc(2*place, mem.All)
	must(p.t, err)
	copy(region.Bytes(), patterns(0, place))
	for i := range localMessages {
		must(p.t, from.PostSend(rdma.Send{From: region.Slice(0, place), Cookie: uint64(i)}))
	}
	for range localMessages {
		<-time.After(time.Duration(draw.IntN(100)) * time.Millisecond)
		if n, err := to.Recv(ctx, region.Slice(place, place)); err != nil || n != place || foreign(region.Bytes()[place:2*place], 0) >= 0 {
			p.t.Errorf("in this process: a message of %d bytes: %v", n, err)
			return
		}
		clear(region.Bytes()[place:])
	}
	if s := to.Stats(); s.ReceiveWait > time.Duration(localMessages)*receiveWait/2 {
		p.t.Errorf("in this process: messages have waited for %v", s.ReceiveWait)
	}
}
