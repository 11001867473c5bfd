package integration_test

import (
	"errors"
	"math/rand/v2"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
)

// A taker takes the completions of one queue, through one face after the other.
type taker struct {
	queue *rdma.CompletionQueue
	asked atomic.Uint64 // number of requests to empty the queue
	done  atomic.Uint64 // number of the latest request after which it was empty
	stop  atomic.Bool
}

// run takes until it is stopped or the queue is closed with its adapter.
func (k *taker) run(h *driveHost, draw *rand.Rand) {
	disp := k.queue.Dispatcher()
	got := func(list []rdma.Completion) {
		for i := range list {
			h.d.whose[list[i].Endpoint].complete(&list[i])
		}
	}
	for {
		if asked := k.asked.Load(); asked != k.done.Load() || k.stop.Load() {
			last := k.stop.Load()
			var list [64]rdma.Completion
			for n := 1; n > 0; {
				n = disp.Poll(list[:])
				got(list[:n])
			}
			k.done.Store(asked)
			if last {
				return
			}
		}
		name := faceNames[draw.IntN(len(faceNames))]
		err := faces[name](disp, draw, got)
		if err != nil && !errors.Is(err, rdma.ErrTimeout) && !errors.Is(err, rdma.ErrQueueEmpty) {
			if !h.closed.Load() {
				h.d.failf("%s: %v", name, err)
			}
			k.done.Store(1 << 62)
			return
		}
	}
}

// allTaken waits until the queues of an adapter have been empty once since the call.
func (h *driveHost) allTaken() {
	want := make([]uint64, len(h.takers))
	for i, k := range h.takers {
		want[i] = k.asked.Add(1)
	}
	for i, k := range h.takers {
		h.d.eventually("a queue is emptied", func() bool { return k.done.Load() >= want[i] })
	}
}
