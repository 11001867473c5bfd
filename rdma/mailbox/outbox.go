package mailbox

import (
	"fmt"
	"math/bits"
	"sync"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// outbox is the memory of what a mailbox sends, for all senders. It grows with what is under way.
// Short messages share chunks of memory, which are kept; a long message has a region of its own
// until it has been sent.
type outbox struct {
	zone  *rdma.Zone
	sends *rdma.CompletionQueue
	most  int // how deep the adapter's queues can be
	limit int // bytes

	mu      sync.Mutex
	used    int // bytes
	owned   int // of these: slots with answers
	need    int // completions that may be there at a time
	classes [11]class
	long    []*mem.Region // by number
	longs   []uint32      // numbers that are free
	batch   [64]rdma.Completion

	longOwners []*share // by number, as long
}

// class is the slots of one size.
type class struct {
	chunks []*slots
	owners [][]*share // by chunk and slot; nil: free, or of the mailbox itself
	free   []uint64   // numbers: class<<32, chunk<<8, slot
}

// firstDepth is how many completions fit before the queue is made deeper.
const firstDepth = 1024

// smallest is the size of the slots of the first class; each further class has twice the size.
const smallest = 64

// perChunk is how many slots a class grows by: 64 KiB at most.
func perChunk(k int) int { return min(32, 64<<10/(smallest<<k)) }

func (o *outbox) open(a *rdma.Adapter, zone *rdma.Zone) (err error) {
	o.zone, o.most = zone, a.Attributes().MaxCompletionDepth
	o.sends, err = a.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: queueDepth(a, firstDepth)})
	return err
}

// fixedDepth is how many completions fit a queue that cannot grow: it is as deep as for some thousands of senders.
const fixedDepth = 1 << 15

// queueDepth is how deep a queue is at first that grows with the senders, if the adapter's queues do.
func queueDepth(a *rdma.Adapter, first int) int {
	if attr := a.Attributes(); !attr.Caps.ResizeCompletionQueue {
		return max(first, min(fixedDepth, attr.MaxCompletionDepth))
	}
	return first
}

// deeper is how deep a queue is to be that needs more: twice as deep, if the adapter has that.
func deeper(q *rdma.CompletionQueue, need, most int) int { return max(need, min(2*q.Depth(), most)) }

// classOf is the class of slots for messages of so many bytes. The longest have none.
func classOf(bytes int) int { return bits.Len(uint((bytes - 1) / smallest)) }

// take takes a slot of at least that many bytes, its memory and its number. If it is for an
// answer, it has an owner, and take fails where the limit or the owner's share would be exceeded.
// The slot has no bytes any more when the adapter has been closed meanwhile; the memory can still
// be written to.
func (o *outbox) take(bytes int, owner *share) (slot mem.Slice, b []byte, number uint64, err error) {
	k, bounded := classOf(bytes), owner != nil
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.admit(owner, bytes); err != nil {
		return mem.Slice{}, nil, 0, err
	}
	if k < len(o.classes) && len(o.classes[k].free) == 0 || k >= len(o.classes) {
		o.collect()
	}
	switch {
	case k >= len(o.classes):
		slot, number, err = o.alone(bytes, bounded)
	case len(o.classes[k].free) > 0:
		slot, number = o.classes[k].next()
	default:
		if o.grow(k, bounded) == nil {
			slot, number = o.classes[k].next()
		} else {
			slot, number, err = o.alone(bytes, bounded) // takes less
		}
	}
	if err != nil {
		return mem.Slice{}, nil, 0, err
	}
	o.own(number, owner)
	if b = slot.Bytes(); b == nil {
		o.back(number)
		return mem.Slice{}, nil, 0, errClosed
	}
	return slot, b, number, nil
}

// next takes a free slot.
func (c *class) next() (mem.Slice, uint64) {
	number := c.free[len(c.free)-1]
	c.free = c.free[:len(c.free)-1]
	return c.chunks[uint32(number)>>8].at(uint32(number & 0xff)), number
}

// grow adds a chunk to a class.
func (o *outbox) grow(k int, bounded bool) error {
	bytes := perChunk(k) * smallest << k
	if err := o.charge(bytes, bounded); err != nil {
		return err
	}
	chunk, err := newSlots(o.zone, perChunk(k), smallest<<k, mem.LocalRead)
	if err != nil {
		o.used -= bytes
		return err
	}
	c := &o.classes[k]
	i := 0
	for i < len(c.chunks) && c.chunks[i] != nil {
		i++
	}
	if i == len(c.chunks) {
		c.chunks = append(c.chunks, nil)
		c.owners = append(c.owners, make([]*share, perChunk(k)))
	}
	c.chunks[i] = chunk
	for slot := range uint64(perChunk(k)) {
		c.free = append(c.free, uint64(k)<<32|uint64(i)<<8|slot)
	}
	return nil
}

// alone makes a region for one message. Its number has the class behind the last.
func (o *outbox) alone(bytes int, bounded bool) (mem.Slice, uint64, error) {
	if err := o.charge(bytes, bounded); err != nil {
		return mem.Slice{}, 0, err
	}
	region, err := o.zone.Register(make([]byte, bytes), mem.LocalRead)
	if err != nil {
		o.used -= bytes
		return mem.Slice{}, 0, err
	}
	if len(o.longs) == 0 {
		o.longs = append(o.longs, uint32(len(o.long)))
		o.long, o.longOwners = append(o.long, nil), append(o.longOwners, nil)
	}
	i := o.longs[len(o.longs)-1]
	o.longs = o.longs[:len(o.longs)-1]
	o.long[i] = region
	return region.All(), uint64(len(o.classes))<<32 | uint64(i), nil
}

// charge counts memory that is to be taken.
func (o *outbox) charge(bytes int, bounded bool) error {
	if bounded && o.used+bytes > o.limit {
		o.shrink()
		if o.used+bytes > o.limit {
			return fmt.Errorf("the answers under way have %d of %d bytes (Config.AnswerMemory): %w", o.used, o.limit, rdma.ErrResources)
		}
	}
	o.used += bytes
	return nil
}

// shrink gives up the chunks that no message uses.
func (o *outbox) shrink() {
	for k := range o.classes {
		c := &o.classes[k]
		free := make([]int, len(c.chunks))
		for _, number := range c.free {
			free[uint32(number)>>8]++
		}
		kept := c.free[:0]
		for _, number := range c.free {
			if free[uint32(number)>>8] < perChunk(k) {
				kept = append(kept, number)
			}
		}
		c.free = kept
		for i, n := range free {
			if n == perChunk(k) {
				_ = c.chunks[i].region.Free()
				c.chunks[i] = nil
				o.used -= perChunk(k) * smallest << k
			}
		}
	}
}

// give gives back a slot whose message was not posted.
func (o *outbox) give(number uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.back(number)
}

func (o *outbox) back(number uint64) {
	o.disown(number)
	if k := number >> 32; k < uint64(len(o.classes)) {
		o.classes[k].free = append(o.classes[k].free, number)
		return
	}
	i := uint32(number)
	o.used -= o.long[i].Len()
	_ = o.long[i].Free()
	o.long[i] = nil
	o.longs = append(o.longs, i)
}

// collect gets back the slots of the messages that have been sent.
func (o *outbox) collect() {
	for {
		n := o.sends.Dispatcher().Poll(o.batch[:])
		for _, done := range o.batch[:n] {
			o.back(done.Cookie)
		}
		clear(o.batch[:n]) // an endpoint that has ended, and its peer in this process, are kept by nothing else
		if n < len(o.batch) {
			return
		}
	}
}

// drain collects for a sender whose queue is full, and behind the end of one: a completion that nobody has taken keeps
// the memory of its connection.
func (o *outbox) drain() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.collect()
}

// reserve makes room for so many more completions, which may be fewer.
func (o *outbox) reserve(n int) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.need+n > o.sends.Depth() {
		if err := o.sends.Resize(deeper(o.sends, o.need+n, o.most)); err != nil {
			return err
		}
	}
	o.need += n
	return nil
}

func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range o.classes {
		for _, chunk := range c.chunks {
			if chunk != nil {
				_ = chunk.region.Free()
			}
		}
	}
	for _, region := range o.long {
		if region != nil {
			_ = region.Free()
		}
	}
	if o.sends != nil {
		_ = o.sends.Close()
	}
}
