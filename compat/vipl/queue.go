package vipl

import (
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

// workQueue is the send queue or the receive queue of a VI: descriptors in the order of
// their posts, until the program takes them off.
//
// Native completions come through the dispatcher of the native queue, or, with a completion
// queue, through its dispatcher of records. Each says which descriptor is complete. A
// descriptor that never reached the adapter, because it is malformed or there is no
// connection, is complete at once; then an empty completion wakes whoever waits.
type workQueue struct {
	vi     *vi
	recv   bool
	cq     *cq                                // nil: the queue has its own dispatcher
	native *rdma.CompletionQueue              // of cq, or its own
	own    *event.Dispatcher[rdma.Completion] // of native; nil with cq
	waits  chan struct{}                      // holds a token while nobody waits

	mu    latch
	hand  hand
	ring  []posted           // a power of 2
	head  uint64             // the oldest descriptor
	tail  uint64             // behind the latest
	said  uint64             // behind the latest that has an entry in cq
	depth uint64             // how many descriptors fit; 0: the VI was destroyed
	fits  uint64             // how many fit into ring as it is
	got   [1]rdma.Completion // the latest
	// around and within are the regions of the latest descriptor and of the latest data. They have the tag
	// of the VI: see lose and forget.
	around, within *region
	more           []mem.Slice // of the post that is being made
	write          rdma.Write  // likewise: of the post, or of the last one
}

// record is a native completion in a completion queue. cookie tells the descriptor: see
// cookieOf. A record without an operation is empty.
type record struct {
	cookie    uint64
	vi        uint64 // handle
	length    uint32
	immediate uint32
	status    rdma.Status
	op        rdma.Op
}

// named stores a native completion.
func named(r *record, c *rdma.Completion) {
	*r = record{c.Cookie, c.Endpoint.Tag(), uint32(c.Length), c.Immediate, c.Status, c.Op}
}

// make makes what native completions come through.
func (q *workQueue) make(h CQHandle) Return {
	n := q.vi.nic
	q.depth = uint64(n.depth)
	q.waits = make(chan struct{}, 1)
	q.waits <- struct{}{}
	q.forget()
	if h != 0 {
		c := getCQ(h)
		if c == nil || c.nic != n || !c.use() {
			return InvalidParameter
		}
		q.cq, q.native = c, c.native
		return Success
	}
	depth := int(n.depth)
	if !q.recv {
		depth *= 2
	}
	native, err := n.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: depth})
	if err == nil {
		q.native, q.own = native, native.Dispatcher()
	}
	return result(err)
}

// end gives back what make took.
func (q *workQueue) end() {
	switch {
	case q.cq != nil:
		q.cq.leave(q)
	case q.native != nil:
		q.native.Close()
	}
}

func (q *workQueue) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.head == q.tail
}
