package vipl

import "github.com/godapl/godapl/rdma"

// posted is a descriptor in a queue.
type posted struct {
	desc    *Descriptor
	cookie  uint64 // of the native request: see cookieOf
	op      uint32 // StatusOp bits
	count   uint16 // segments
	given   bool   // the adapter has it
	flushed bool   // by an attempt to connect, of which nothing else is known yet
	done    bool
	bad     bool // it has completed with an error
}

// placeBits of a cookie are the descriptor's place; the others are the attempt to connect.
const placeBits = 40

func cookieOf(attempt uint32, place uint64) uint64 {
	return uint64(attempt)<<placeBits | place&(1<<placeBits-1)
}

// of tells whether the descriptor was given to the adapter in that attempt.
func (p *posted) of(attempt uint32) bool {
	return p.cookie>>placeBits == cookieOf(attempt, 0)>>placeBits
}

func (q *workQueue) at(place uint64) *posted { return &q.ring[place&uint64(len(q.ring)-1)] }

// enter appends a descriptor; nil if the queue is full. The caller holds mu.
func (q *workQueue) enter(d *Descriptor, op uint32, segments uint16) *posted {
	if n := q.tail - q.head; n >= q.fits {
		if n >= q.depth {
			return nil
		}
		q.grow()
	}
	p := q.at(q.tail)
	*p = posted{desc: d, op: op, count: segments}
	q.tail++
	return p
}

// noPlace is the result of a post for which enter has found none. The caller holds mu.
func (q *workQueue) noPlace() Return {
	if q.depth == 0 {
		return InvalidParameter // the VI has just been destroyed
	}
	return ErrorResource
}

func (q *workQueue) grow() {
	ring := make([]posted, max(16, 2*len(q.ring)))
	for i := q.head; i != q.tail; i++ {
		ring[i&uint64(len(ring)-1)] = *q.at(i)
	}
	q.ring = ring
	q.fits = min(uint64(len(ring)), q.depth)
}

// finish completes a descriptor that the adapter does not have. The caller holds mu.
func (q *workQueue) finish(p *posted, status uint32) {
	p.done, p.bad = true, status&StatusErrorMask != 0
	p.desc.finish(p.op|status, 0)
	q.nudge()
}

// nudge has whoever waits look again.
func (q *workQueue) nudge() {
	if q.cq == nil {
		_ = q.own.Post(rdma.Completion{}) // while there is no room, nobody sleeps
	} else if q.cq.d.Post(record{vi: uint64(q.vi.handle)}) != nil {
		q.cq.missed.Store(true)
		_ = q.cq.d.Post(record{}) // if the queue has been emptied meanwhile, perhaps somebody sleeps already
	}
}
