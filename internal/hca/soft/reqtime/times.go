package reqtime

import (
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// Times are the times of one send queue, whose gate guards all but begun and inboxed.
type Times struct {
	// begun is the time of the latest post. If others post at the same time, a request that waits for the gate
	// may get the time of a later one: what it shows is then short by that wait.
	begun atomic.Int64
	inbox int64 // the time of the request that is taken from the inbox; 0: none
	// inboxed has the times of the requests in the inbox, whose lock guards it.
	inboxed []int64
	at      []int64 // by slot of the send queue: the time of its post
	// ops has a histogram for each operation that has succeeded. They are made when they are needed.
	ops [hca.OpRecv]*hca.Latency
}

// epoch is when time begins.
var epoch = time.Now()

func now() int64 { return int64(time.Since(epoch)) }

// Begin notes that a post begins. A nil Times does not.
func (t *Times) Begin() {
	if t != nil {
		t.begun.Store(now())
	}
}

// Inboxed notes that the latest post went to the end of the inbox. The caller holds the lock of the inbox, as it does
// for the next two. A nil Times does nothing.
func (t *Times) Inboxed() {
	if t != nil {
		t.inboxed = append(t.inboxed, t.begun.Load())
	}
}

// FromInbox says that the request that is queued next is number i of the inbox.
func (t *Times) FromInbox(i int) {
	if t != nil {
		t.inbox = t.inboxed[i]
	}
}

// Emptied says that the inbox is empty.
func (t *Times) Emptied() {
	if t != nil {
		t.inbox, t.inboxed = 0, t.inboxed[:0]
	}
}

// Queued keeps the time of the request that was just queued, the last before tail. The queue has this number of slots,
// a power of two, and its oldest request is number head. A nil Times does nothing.
func (t *Times) Queued(head, tail uint64, slots int) {
	if t == nil {
		return
	}
	if slots != len(t.at) { // the queue has grown
		at := make([]int64, slots)
		for i := head; i != tail && len(t.at) > 0; i++ {
			at[i&uint64(slots-1)] = t.at[i&uint64(len(t.at)-1)]
		}
		t.at = at
	}
	begun := t.inbox
	if begun == 0 {
		begun = t.begun.Load()
	}
	t.at[(tail-1)&uint64(len(t.at)-1)] = begun
}

// Done records a request that has succeeded: the oldest in the queue, number head, or, if the queue is empty, one that
// was carried out at once.
func (t *Times) Done(head uint64, empty bool, op hca.Op) {
	begun := t.begun.Load()
	if !empty {
		begun = t.at[head&uint64(len(t.at)-1)]
	}
	h := t.ops[op]
	if h == nil {
		h = new(hca.Latency)
		t.ops[op] = h
	}
	h.Record(time.Duration(now() - begun))
}

// Read copies the histograms. A nil Times has none.
func (t *Times) Read() (all [hca.OpRecv]*hca.Latency) {
	if t == nil {
		return all
	}
	for op, h := range t.ops {
		if h != nil {
			copied := *h
			all[op] = &copied
		}
	}
	return all
}
