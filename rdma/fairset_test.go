package rdma_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// TestNoMemberOfASetIsPassedOver has one goroutine play the clients and the server, so that it knows at each
// turn which queues are ready. The server takes one completion in each turn. While a queue is ready, each of the
// others has at most two turns before it.
func TestNoMemberOfASetIsPassedOver(t *testing.T) {
	const clients, turns = 3, 3000
	y := newSide(t, "soft-loop")
	s := &busyServer{t: t, side: y, slots: map[*rdma.Endpoint]int{}}
	set := event.NewSet()
	defer set.Close()
	var queues []*rdma.CompletionQueue
	var asking []*side
	for i := range clients {
		cfg := rdma.EndpointConfig{Zone: y.zone, SendDepth: 1, RecvDepth: busySlots}
		for _, q := range []**rdma.CompletionQueue{&cfg.RecvCQ, &cfg.SendCQ} {
			var err error
			*q, err = y.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 64})
			must(t, err)
			must(t, set.Add((*q).Dispatcher()))
			queues = append(queues, *q)
		}
		x := newSide(t, "soft-loop")
		s.take(x, i, cfg)
		asking = append(asking, x)
		begin(t, x)
	}
	passed := make([]map[event.Member]int, len(queues))
	for range turns {
		var ready []int
		for i, q := range queues {
			if q.Ready() || q.Dispatcher().Len() > 0 {
				ready = append(ready, i)
			}
		}
		member, err := set.WaitTimeout(0)
		must(t, err)
		for _, i := range ready {
			if queues[i].Dispatcher() == member {
				passed[i] = nil
				continue
			}
			if passed[i] == nil {
				passed[i] = map[event.Member]int{}
			}
			if passed[i][member]++; passed[i][member] > 2 {
				t.Fatalf("%s was ready, and %s had %d turns before it", queues[i].Dispatcher().Name(), member.Name(), passed[i][member])
			}
		}
		var one [1]rdma.Completion
		must(t, s.answer(one[:member.(*event.Dispatcher[rdma.Completion]).Poll(one[:])]))
		for _, x := range asking {
			var list [4]rdma.Completion
			x.conn.SendCompletions().Poll(list[:])
			if x.conn.RecvCompletions().Poll(list[:]) > 0 {
				begin(t, x)
			}
		}
	}
}

// begin sends a request.
func begin(t *testing.T, x *side) {
	t.Helper()
	must(t, x.conn.PostRecv(rdma.Recv{Into: x.mem.Slice(64, 64)}))
	must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 64)}))
}
