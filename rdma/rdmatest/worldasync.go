package rdmatest

import (
	"fmt"
	"slices"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
)

// Async makes the host's adapters report an asynchronous error, as devices do. With rdma.AsyncAdapterFailed all
// their connections end as broken, and with rdma.AsyncOverflow those of one completion queue that is drawn:
// nothing of it is lost, since what is under way is flushed. rdma.AsyncPortDown and rdma.AsyncPortUp are reported
// and have no other effect. An adapter without endpoints has no queue that overflows. Other kinds panic.
func (h *Host) Async(kind rdma.AsyncKind) {
	of, ok := map[rdma.AsyncKind]hca.AsyncKind{rdma.AsyncAdapterFailed: hca.AsyncAdapterFailed, rdma.AsyncOverflow: hca.AsyncCQOverflow,
		rdma.AsyncPortDown: hca.AsyncPortDown, rdma.AsyncPortUp: hca.AsyncPortUp}[kind]
	if !ok {
		panic(fmt.Sprintf("rdmatest: no host reports %v by itself", kind))
	}
	h.w.mu.Lock()
	h.w.record("async", h.name+" "+kind.String(), 0)
	books := slices.Clone(h.books)
	h.w.mu.Unlock()
	told := false
	for _, a := range books {
		told = a.async(of) || told
	}
	if told {
		h.w.count("async " + kind.String())
	}
}

// async makes the adapter report an event, unless it is closed, or has no queue that could overflow.
func (a *worldAdapter) async(kind hca.AsyncKind) (told bool) {
	a.mu.Lock()
	pairs := slices.DeleteFunc(slices.Clone(a.pairs), func(q *worldQP) bool { return q.closed.Load() })
	closed := a.closed
	a.mu.Unlock()
	if closed || a.tell == nil {
		return false
	}
	ev := hca.AsyncEvent{Kind: kind}
	var queue *worldCQ
	if kind == hca.AsyncCQOverflow {
		if len(pairs) == 0 {
			return false
		}
		a.h.w.mu.Lock()
		q := pairs[a.h.w.draw.IntN(len(pairs))]
		queue = q.queues[a.h.w.draw.IntN(2)]
		a.h.w.mu.Unlock()
		ev.Object = hca.CQ(queue)
	}
	ev.Err = hca.NewError(hca.Broken, "adapter", a.h.name, "a test wants this to be reported")
	a.tell(ev)
	for _, q := range pairs {
		if kind == hca.AsyncAdapterFailed || queue != nil && slices.Contains(q.queues[:], queue) {
			q.mu.Lock()
			q.lost = "a test wants an asynchronous error"
			q.mu.Unlock()
			_ = q.QP.Disconnect(false)
		}
	}
	return true
}

func (a *worldAdapter) Close() error {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	return a.adapter.Close()
}
