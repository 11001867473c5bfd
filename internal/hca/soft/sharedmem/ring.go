package sharedmem

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/shm"
)

// An outRing is the producer's side of a ring with its bulk area. Space in the
// bulk area comes back with the slots: what belongs to which slot is known here,
// the peer is not asked.
type outRing struct {
	p     *shm.Producer
	bulk  []byte
	slots uint64
	ends  []uint64      // where the bulk of a slot's frame ends
	head  uint64        // bulk in use: from here
	tail  uint64        // to here
	sent  uint64        // frames so far
	acked uint64        // of these, the peer has handled
	seen  atomic.Uint64 // acked, for who looks whether there are more
}

func (o *outRing) init(mem []byte, side int, cfg shm.RingConfig) (err error) {
	ring, bulk, end := ringRegion(side, cfg)
	o.bulk, o.slots, o.ends = mem[bulk:end:end], uint64(cfg.Slots), make([]uint64, cfg.Slots)
	o.p, err = shm.NewProducer(mem[ring:bulk:bulk], cfg)
	return err
}

// collect learns what the peer has handled. An error says that it tells nonsense.
func (o *outRing) collect() error {
	n, err := o.p.Released()
	if err != nil {
		return err
	}
	if n != o.acked {
		core.RaceRecv()
		o.acked = n
		gate.StoreRelease(&o.seen, n)
		o.head = o.ends[(n-1)%o.slots]
	}
	return nil
}

// room finds a slot, and n bytes of the bulk area, which begin at off. It is nil
// if there is none now.
func (o *outRing) room(n int) (slot, octets []byte, off uint32, err error) {
	if slot, err = o.p.Reserve(); slot == nil {
		return nil, nil, 0, err
	}
	if n == 0 {
		return slot, nil, 0, nil
	}
	size := uint64(len(o.bulk))
	at := o.tail % size
	if at+uint64(n) > size { // bytes of a frame lie together
		if o.tail+size-at+uint64(n)-o.head > size {
			return nil, nil, 0, nil
		}
		o.tail += size - at
		at = 0
	}
	if o.tail+uint64(n)-o.head > size {
		return nil, nil, 0, nil
	}
	return slot, o.bulk[at : at+uint64(n)], uint32(at), nil
}

// commit hands the frame over: len bytes of the slot, n of the bulk area.
func (o *outRing) commit(kind, flags uint8, length, n int) {
	core.RaceSend()
	o.p.Commit(shm.Entry{Kind: kind, Flags: flags, Len: length})
	o.tail += uint64(n) // behind it, as the peer waits
	o.ends[o.sent%o.slots] = o.tail
	o.sent++
}

// An inRing is the consumer's side.
type inRing struct {
	c    *shm.Consumer
	bulk []byte
	buf  [slotInline]byte // the frame in hand
	f    frame
	held bool // there is one that has not been handled

	handled atomic.Uint64 // so many frames; written by done
}

func (in *inRing) init(mem []byte, side int, cfg shm.RingConfig) (err error) {
	ring, bulk, end := ringRegion(side, cfg)
	in.bulk = mem[bulk:end:end]
	in.c, err = shm.NewConsumer(mem[ring:bulk:bulk], cfg)
	return err
}

// next has the next frame in hand, if there is one.
func (in *inRing) next() (bool, error) {
	if in.held {
		return true, nil
	}
	e, ok, err := in.c.Pop(in.buf[:])
	if !ok || err != nil {
		return false, err
	}
	core.RaceRecv()
	if !in.f.get(e, in.buf[:e.Len]) {
		return false, errFrame
	}
	in.held = true
	return true, nil
}

// done is the end of the frame in hand. The peer learns of it with release.
func (in *inRing) done() {
	in.held = false
	core.RaceSend()
	gate.StoreRelease(&in.handled, in.c.Popped())
}

// release tells the peer what has been handled. Its word for that is one that it looks
// at, so the store takes a cache line away from it, and whatever of this side waits for
// its stores waits for that.
func (in *inRing) release() { in.c.ReleaseTo(in.handled.Load()) }

// unreleased is how many frames the peer does not know to be handled.
func (in *inRing) unreleased() int { return int(in.handled.Load() - in.c.Released()) }

// insist is release for who is not inside the gate.
func (in *inRing) insist() { in.c.Insist(in.handled.Load()) }
