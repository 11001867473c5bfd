package sharedmem

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
	"github.com/godapl/godapl/internal/shm"
)

// An outRing is the producer's side of a ring with its bulk area. Bulk space returns with the slots: this side
// records which bulk bytes belong to which slot, and does not rely on the peer.
type outRing struct {
	p     *shm.Producer
	bulk  []byte
	ends  []uint32      // end of the bulk bytes of each frame, its lower half: of those in the slots, and of the latest one that left
	head  uint64        // start of the bulk bytes in use
	tail  uint64        // their end
	sent  uint64        // frames sent so far
	acked uint64        // of these, the frames that the peer has handled
	seen  atomic.Uint64 // acked, for pollers that check whether it has changed
}

func (o *outRing) init(mem []byte, side int, cfg shm.RingConfig) (err error) {
	ring, bulk, end := ringRegion(side, cfg)
	o.bulk, o.ends = mem[bulk:end:end], make([]uint32, cfg.Slots+1)
	o.p, err = shm.NewProducer(mem[ring:bulk:bulk], cfg)
	return err
}

// collect reads how many frames the peer has handled. It returns an error if that number is impossible.
func (o *outRing) collect() error {
	n, err := o.p.Released()
	if err != nil {
		return err
	}
	if n != o.acked {
		rawmem.RaceRecv()
		o.acked = n
		gate.StoreRelease(&o.seen, n)
		// Frame n-1+slots may be sent already. The end is less than the bulk area ahead.
		o.head += uint64(o.ends[(n-1)%uint64(len(o.ends))] - uint32(o.head))
	}
	return nil
}

// room reserves a slot and n bytes of the bulk area, which begin at off. slot is nil if there is no room now.
func (o *outRing) room(n int) (slot, data []byte, off uint32, err error) {
	if slot, err = o.p.Reserve(); slot == nil {
		return nil, nil, 0, err
	}
	if n == 0 {
		return slot, nil, 0, nil
	}
	size := uint64(len(o.bulk))
	at := o.tail % size
	if at+uint64(n) > size { // the bytes of a frame are contiguous
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

// commit publishes the frame: length bytes of the slot, n of the bulk area.
func (o *outRing) commit(kind, flags uint8, length, n int) {
	rawmem.RaceSend()
	o.p.Commit(shm.Entry{Kind: kind, Flags: flags, Len: length})
	o.tail += uint64(n) // after the commit, because the peer waits for that
	o.ends[o.sent%uint64(len(o.ends))] = uint32(o.tail)
	o.sent++
}

// An inRing is the consumer's side.
type inRing struct {
	c    *shm.Consumer
	bulk []byte
	buf  [slotInline]byte // the current frame
	f    frame
	held bool // the current frame is not handled yet

	handled atomic.Uint64 // number of handled frames; done writes it
}

func (in *inRing) init(mem []byte, side int, cfg shm.RingConfig) (err error) {
	ring, bulk, end := ringRegion(side, cfg)
	in.bulk = mem[bulk:end:end]
	in.c, err = shm.NewConsumer(mem[ring:bulk:bulk], cfg)
	return err
}

// next makes the next frame current, if there is one.
func (in *inRing) next() (bool, error) {
	if in.held {
		return true, nil
	}
	e, ok, err := in.c.Pop(in.buf[:])
	if !ok || err != nil {
		return false, err
	}
	rawmem.RaceRecv()
	if !in.f.get(e, in.buf[:e.Len]) {
		return false, errFrame
	}
	in.held = true
	return true, nil
}

// done marks the current frame as handled. release then tells the peer.
func (in *inRing) done() {
	in.held = false
	rawmem.RaceSend()
	gate.StoreRelease(&in.handled, in.c.Popped())
}

// release publishes how many slots are free. The peer polls that counter, so the store invalidates its cache
// line and stalls our store buffer: do it rarely.
func (in *inRing) release() { in.c.ReleaseTo(in.handled.Load()) }

// unreleased is the number of handled frames that are not published to the peer.
func (in *inRing) unreleased() int { return int(in.handled.Load() - in.c.Released()) }

// releaseConcurrent is release for a caller outside the gate.
func (in *inRing) releaseConcurrently() { in.c.ReleaseConcurrently(in.handled.Load()) }
