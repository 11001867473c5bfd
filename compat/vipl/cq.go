package vipl

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// cq is a completion queue: a native one, whose dispatcher has the records of several work
// queues, and behind it the entries that the program has not taken. A goroutine that
// looks for an entry, or for a descriptor of one of the queues, gathers the records.
type cq struct {
	nic    *nic
	handle CQHandle
	native *rdma.CompletionQueue
	d      *event.Dispatcher[record]
	waits  chan struct{} // holds a token while nobody waits
	missed atomic.Bool   // an empty record found no room

	mu      sync.Mutex // before workQueue.mu
	hand    hand
	entries []entry // from first on
	first   int
	users   int
	gone    bool
}

// entry says that a descriptor of a queue is complete.
type entry struct {
	vi   VIHandle
	recv bool
}

// CreateCQ makes a completion queue (VipCreateCQ). entryCount should be the sum of what its
// work queues have posted at a time.
func CreateCQ(nicHandle NICHandle, entryCount uint32, cqHandle *CQHandle) Return {
	if cqHandle == nil {
		return InvalidParameter
	}
	*cqHandle = 0
	n := getNIC(nicHandle)
	if n == nil || entryCount == 0 {
		return InvalidParameter
	}
	if entryCount > limit32(n.attr.MaxCompletionDepth) {
		return ErrorResource
	}
	c := &cq{nic: n, waits: make(chan struct{}, 1)}
	c.waits <- struct{}{}
	c.d = event.New[record](event.Config{Depth: int(entryCount) + 1})
	var err error
	c.native, err = n.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: int(entryCount), Sink: rdma.NewSink(c.d, named)})
	if err != nil {
		c.d.Close()
		return result(err)
	}
	c.handle = CQHandle(cqs.Reserve())
	cqs.Put(uint64(c.handle), c)
	if !n.add(uint64(c.handle), c.end) {
		c.end()
		return InvalidParameter
	}
	*cqHandle = c.handle
	return Success
}

// DestroyCQ ends a completion queue (VipDestroyCQ). ErrorResource while a VI has it.
func DestroyCQ(cqHandle CQHandle) Return {
	c := getCQ(cqHandle)
	if c == nil {
		return InvalidParameter
	}
	c.mu.Lock()
	switch {
	case c.gone:
		c.mu.Unlock()
		return InvalidParameter
	case c.users > 0:
		c.mu.Unlock()
		return ErrorResource
	}
	c.gone = true
	c.mu.Unlock()
	c.nic.forget(uint64(cqHandle))
	c.end()
	return Success
}

func (c *cq) end() {
	if cqs.Remove(uint64(c.handle)) {
		c.native.Close()
		c.d.Close()
	}
}

// ResizeCQ changes how many entries fit (VipResizeCQ). None is lost: ErrorResource if there
// are more; ErrorNotSupported if the adapter cannot.
func ResizeCQ(cqHandle CQHandle, entryCount uint32) Return {
	c := getCQ(cqHandle)
	if c == nil || entryCount == 0 {
		return InvalidParameter
	}
	c.gather()
	c.mu.Lock()
	defer c.mu.Unlock()
	if entryCount > limit32(c.nic.attr.MaxCompletionDepth) || int(entryCount) < len(c.entries)-c.first {
		return ErrorResource
	}
	if err := c.native.Resize(int(entryCount)); err != nil {
		if codeOf(err) == rdma.ErrState {
			return ErrorResource
		}
		return result(err)
	}
	_ = c.d.Resize(int(entryCount) + 1) // while a goroutine waits it stays as it is: a matter of memory
	return Success
}

// use counts a work queue.
func (c *cq) use() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return false
	}
	c.users++
	return true
}

// leave ends the use by a work queue, whose entries vanish.
func (c *cq) leave(q *workQueue) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.users--
	kept := c.entries[:0]
	for _, e := range c.entries[c.first:] {
		if e != (entry{q.vi.handle, q.recv}) {
			kept = append(kept, e)
		}
	}
	c.entries, c.first = kept, 0
}

// gather takes the records that are there.
func (c *cq) gather() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.collect(false) && c.first != len(c.entries) {
		_ = c.d.Post(record{}) // what was taken would have woken whoever waits
	}
}

// collect takes records: one that makes an entry, or all. It tells whether there were any. The
// caller holds mu.
func (c *cq) collect(one bool) (taken bool) {
	if c.missed.Swap(false) {
		c.sayAll()
	}
	var r record
	for !one || c.first == len(c.entries) {
		if event.ProviderOf(c.d).DequeueInto(&r) != nil {
			return taken
		}
		c.note(&r)
		taken = true
	}
	return taken
}

// note handles a record. The caller holds mu.
func (c *cq) note(r *record) {
	v := vis.Get(r.vi)
	if v == nil {
		return
	}
	switch {
	case r.op == 0:
		c.say(&v.send)
		c.say(&v.recv)
		return
	case r.op.IsRecv():
		c.have(&v.recv, r)
	default:
		c.have(&v.send, r)
	}
}

func (c *cq) have(q *workQueue, r *record) {
	q.mu.Lock()
	q.complete(r.cookie, r.op, r.status, r.length, r.immediate)
	c.tell(q)
	q.mu.Unlock()
}

// say makes the entries of a queue for which there was no record.
func (c *cq) say(q *workQueue) {
	if q.cq == c {
		q.mu.Lock()
		c.tell(q)
		q.mu.Unlock()
	}
}

// tell makes the entries of the descriptors that are complete. The caller holds both locks.
func (c *cq) tell(q *workQueue) {
	for q.said < q.tail && (q.said < q.head || q.at(q.said).done) {
		if c.first == len(c.entries) {
			c.entries, c.first = c.entries[:0], 0
		}
		c.entries = append(c.entries, entry{q.vi.handle, q.recv})
		q.said++
	}
}

// sayAll is say for every queue that has c.
func (c *cq) sayAll() {
	for _, v := range c.nic.virtual() {
		c.say(&v.send)
		c.say(&v.recv)
	}
}
