package rdma

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// SharedReceiveConfig describes a shared receive queue (uDAPL: DAT_SRQ_ATTR).
type SharedReceiveConfig struct {
	// Depth is the number of receives that the queue can hold. 0: 256, or the adapter's limit
	// if that is less.
	Depth int
	// Segments limits the pieces of memory of a receive. 0: 4, or the adapter's limit if that
	// is less.
	Segments int
	// Low is called when fewer receives than the watermark are left, once after each
	// SetLowWatermark. nil: the adapter reports AsyncLowWatermark. The call is made on a
	// goroutine of the adapter, some time after the receive was taken. It must not block; it
	// may post receives and call SetLowWatermark.
	Low func(*SharedReceiveQueue)
}

// SharedReceiveQueue is a queue of receives that several endpoints share (uDAPL: SRQ). A
// receive completes at the endpoint that took it.
type SharedReceiveQueue struct {
	zone     *Zone
	number   uint32 // in errors
	srq      hca.SRQ
	segments int
	full     atomic.Pointer[hca.Error] // the error of a post that found the queue full

	mu     sync.Mutex
	users  int // endpoints
	closed bool
}

// NewSharedReceiveQueue creates a queue of receives that endpoints share (uDAPL:
// dat_srq_create). ErrUnsupported if the adapter has no such queues, ErrInvalid if the depth
// exceeds the adapter's limit.
func (z *Zone) NewSharedReceiveQueue(cfg SharedReceiveConfig) (*SharedReceiveQueue, error) {
	const op = "new shared receive queue"
	q, err := z.newSharedReceiveQueue(op, cfg)
	if err != nil {
		return nil, hca.Named(err, op, "of "+z.String())
	}
	return q, nil
}

func (z *Zone) newSharedReceiveQueue(op string, cfg SharedReceiveConfig) (*SharedReceiveQueue, error) {
	attr := z.adapter.attr
	var err error
	if cfg.Depth, err = fill("Depth", cfg.Depth, 256, attr.MaxSRQWR); err != nil {
		return nil, err
	}
	if cfg.Segments, err = fill("Segments", cfg.Segments, 4, attr.MaxSGE); err != nil {
		return nil, err
	}
	q := &SharedReceiveQueue{zone: z, number: numbers.sharedQueues.Add(1), segments: cfg.Segments}
	low := cfg.Low
	if low == nil {
		low = func(q *SharedReceiveQueue) {
			z.adapter.async.tell(AsyncError{Kind: AsyncLowWatermark, SharedReceive: q})
		}
	}
	if err := z.hold(&z.shared); err != nil {
		return nil, err
	}
	q.srq, err = z.pd.NewSRQ(hca.SRQConfig{Depth: cfg.Depth, MaxSGE: cfg.Segments, Limit: func() { low(q) }})
	if err != nil {
		z.drop(&z.shared)
		return nil, err
	}
	if err := z.adapter.add(op, q); err != nil {
		q.srq.Close()
		z.drop(&z.shared)
		return nil, err
	}
	return q, nil
}

// Zone is the zone that the memory of the receives must belong to.
func (q *SharedReceiveQueue) Zone() *Zone { return q.zone }

// PostRecv queues a receive (uDAPL: dat_srq_post_recv). It never blocks and
// allocates nothing. The errors are those of [Endpoint.PostRecv].
func (q *SharedReceiveQueue) PostRecv(r Recv) error {
	list := segmentLists.Get().(*[]hca.Segment)
	var wr hca.RecvWR
	err := fillRecv(&wr, &r, q.zone, q.segments, list)
	if err == nil {
		err = q.srq.PostRecv(wr)
	}
	*list = (*list)[:0]
	segmentLists.Put(list)
	if err != nil {
		return q.refused("post receive", err)
	}
	return nil
}

// refused adds the call and the queue to the error of a post. The error for a full queue is
// made once.
func (q *SharedReceiveQueue) refused(op string, err error) error {
	e, ok := err.(*hca.Error)
	if !ok || e.Code != hca.QueueFull {
		return hca.Named(err, op, q.object())
	}
	if full := q.full.Load(); full != nil {
		return full
	}
	full := hca.Named(err, op, q.object()).(*hca.Error)
	q.full.Store(full)
	return full
}

// SetLowWatermark requests one notification when fewer than n receives are left (uDAPL:
// dat_srq_set_lw), at once if that is already true. 0 cancels it. ErrInvalid if n is negative
// or more than the depth, ErrUnsupported if the adapter cannot.
func (q *SharedReceiveQueue) SetLowWatermark(n int) error {
	if depth := q.Depth(); n < 0 || n > depth {
		return hca.NewError(hca.Invalid, "set low watermark", q.object(), fmt.Sprintf("%d is not in 0..%d", n, depth))
	}
	return hca.Named(q.srq.Arm(n), "set low watermark", q.object())
}

// Counts returns two numbers: available receives, which no endpoint has taken yet, and
// outstanding ones, whose completion is still to come or has not left its completion queue (uDAPL:
// dat_srq_query).
func (q *SharedReceiveQueue) Counts() (available, outstanding int) { return q.srq.Counts() }

// Depth is the number of receives that fit.
func (q *SharedReceiveQueue) Depth() int { return q.srq.Depth() }

// Resize changes the depth (uDAPL: dat_srq_resize). No receive is lost: ErrState if more
// receives than that are outstanding.
func (q *SharedReceiveQueue) Resize(depth int) error {
	return hca.Named(q.srq.Resize(depth), "resize", q.object())
}

// Close closes the queue (uDAPL: dat_srq_free). It fails with ErrInUse while endpoints use it.
// Remaining receives are dropped without a completion.
func (q *SharedReceiveQueue) Close() error {
	if err := q.shut(); err != nil {
		return err
	}
	q.zone.adapter.remove(q)
	return nil
}

func (q *SharedReceiveQueue) shut() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil
	}
	if q.users > 0 {
		return hca.NewError(hca.InUse, "close", q.object(), "it still serves "+hca.Count(q.users, kindEndpoint)+": close that first")
	}
	if err := q.srq.Close(); err != nil {
		return hca.Named(err, "close", q.object())
	}
	q.closed = true
	q.zone.drop(&q.zone.shared)
	return nil
}

func (q *SharedReceiveQueue) kind() string { return kindSharedReceive }

func (q *SharedReceiveQueue) end() { q.shut() }

// ended reports whether the queue has been closed.
func (q *SharedReceiveQueue) ended() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}

// hold keeps the queue from closing.
func (q *SharedReceiveQueue) hold() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return hca.NewError(hca.Closed, "", "", q.object()+" has been closed")
	}
	q.users++
	return nil
}

func (q *SharedReceiveQueue) drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.users--
}
