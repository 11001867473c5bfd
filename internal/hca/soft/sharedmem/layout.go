package sharedmem

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/shm"
)

// The memory of a connection: a page of control words; then, for each side, a ring of requests with a bulk area
// for what does not fit into the slots; then the same for responses. Side 0 dialed, side 1 listened. A side
// writes only to its own rings and its own control words.
const (
	pageSize   = 4096
	slotSize   = 128
	slotInline = 120 // bytes of a slot that carry the message
	slots      = 128 // of a ring of requests
	bulkSize   = 64 << 10
	chunkSize  = 16 << 10 // largest part of a message that goes through the bulk area at once

	// Offsets in the control page; the two sides are lineSize apart.
	doorbellsAt   = 0
	closeStatusAt = 256
	hazardsAt     = 512 // two for each side: of its send half and of its receive half
	lineSize      = 128
)

var (
	requestRing = shm.RingConfig{Slots: slots, SlotSize: slotSize}
	answerRing  = shm.RingConfig{Slots: 32, SlotSize: slotSize}
)

func roundPage(n int) int { return (n + pageSize - 1) &^ (pageSize - 1) }

// ringRegion returns where a ring and the bulk area behind it begin, and where that ends.
func ringRegion(side int, cfg shm.RingConfig) (ring, bulk, end int) {
	requests := roundPage(requestRing.Bytes()) + bulkSize
	answers := roundPage(answerRing.Bytes()) + bulkSize
	ring = pageSize + side*requests
	if cfg == answerRing {
		ring = pageSize + 2*requests + side*answers
	}
	bulk = ring + roundPage(cfg.Bytes())
	return ring, bulk, bulk + bulkSize
}

var _, _, segmentSize = ringRegion(1, answerRing)

// connMemory is one side's access to the memory.
type connMemory struct {
	seg          *shm.Segment
	side         int
	order        shm.Order
	doorbell     shm.Doorbell // this side's; armed while it sleeps
	peerDoorbell shm.Doorbell
	closeStatus  [2]*atomic.Uint64 // ours, the peer's; how the connection ended
	hazard       [2]*shm.Slot      // ours, of out and in
	peerHazards  [2]*shm.Slot      // the peer's
}

func (m *connMemory) init(seg *shm.Segment, side int, o shm.Order) {
	b := seg.Bytes()
	m.seg, m.side, m.order = seg, side, o
	for i := range 2 {
		s := side ^ i
		m.closeStatus[i] = shm.Word64(b, closeStatusAt+s*lineSize)
	}
	// A side that rings has just passed a gate, so a fence costs it little; a membarrier for each sleep would
	// cost much.
	m.doorbell = shm.NewDoorbell(shm.Word32(b, doorbellsAt+side*lineSize), shm.Order{})
	m.peerDoorbell = shm.NewDoorbell(shm.Word32(b, doorbellsAt+(side^1)*lineSize), shm.Order{})
	for half := range 2 {
		m.hazard[half] = shm.SlotAt(b, hazardsAt+(2*side+half)*lineSize)
		m.peerHazards[half] = shm.SlotAt(b, hazardsAt+(2*(side^1)+half)*lineSize)
	}
}
